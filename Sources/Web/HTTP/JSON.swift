package import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore

/// The form of all JSON that Kith sends: camelCase, sorted keys, RFC 3339 times in UTC.
package enum JSON {
    package static let mediaType = "application/json; charset=utf-8"

    package static func data(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(timestamp(date))
        }
        return Array(try encoder.encode(value))
    }

    package static func text(_ value: some Encodable) throws -> String {
        String(decoding: try data(value), as: UTF8.self)
    }

    /// Nil if the value is empty.
    package static func text(ifAny value: some Encodable & Collection) -> String? {
        value.isEmpty ? nil : try? text(value)
    }

    /// Returns which share of the whole a part is, with four places. Nil if there is no whole.
    package static func share(_ part: Int, of whole: Int) -> Double? {
        whole == 0 ? nil : (Double(part) / Double(whole) * 10_000).rounded() / 10_000
    }

    /// Returns a response with this text.
    package static func response(_ text: [UInt8]) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text)))
    }

    /// Returns a time by RFC 3339 in UTC, cut to milliseconds: `2026-11-21T09:30:00.123Z`.
    package static func timestamp(_ date: Date) -> String {
        String(unsafeUninitializedCapacity: timestampLength) { buffer in
            write(date, to: buffer)
            return timestampLength
        }
    }

    static let timestampLength = 24

    /// The times of the years 0 to 9999, in seconds since 1970. A time outside is written as the nearest one
    /// inside.
    package static let years = -62_167_219_200.0...253_402_300_799.0

    /// Writes what `timestamp` returns, without creating a string. The fifty times on a page of friends take
    /// 3 µs, and `Date.ISO8601FormatStyle` takes 11.
    static func write(_ date: Date, to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let seconds = min(max(date.timeIntervalSince1970, years.lowerBound), years.upperBound)
        let milliseconds = Int64((seconds * 1_000_000).rounded()).quotient(1000)
        let (days, inDay) = milliseconds.divided(by: 86_400_000)
        let (year, month, day) = civil(days)
        let (hour, minute, second) = (inDay / 3_600_000, inDay / 60_000 % 60, inDay / 1000 % 60)
        func put(_ value: Int64, _ places: Int, at start: Int) {
            var rest = value
            for place in stride(from: start + places - 1, through: start, by: -1) {
                buffer[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                rest /= 10
            }
        }
        _ = buffer.initialize(from: "0000-00-00T00:00:00.000Z".utf8)
        put(year, 4, at: 0)
        put(month, 2, at: 5)
        put(day, 2, at: 8)
        put(hour, 2, at: 11)
        put(minute, 2, at: 14)
        put(second, 2, at: 17)
        put(inDay % 1000, 3, at: 20)
    }

    /// Returns the date of a day counted from 1970-01-01, for years 0 to 9999, by Howard Hinnant's
    /// `civil_from_days` (https://howardhinnant.github.io/date_algorithms.html).
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (days + 719_468).divided(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * dayOfYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * fromMarch + 2) / 5 + 1)
    }
}

extension Int64 {
    /// Divides and rounds down, with a remainder that is never negative.
    fileprivate func divided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate func quotient(_ divisor: Int64) -> Int64 { divided(by: divisor).quotient }
}
