import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOFoundationCompat

/// The one form of JSON on the wire: camelCase, sorted keys, RFC 3339 times in UTC.
enum JSON {
    /// 64 KiB: a hundred uids of 128 characters, of four bytes each, take 52. A larger body is refused with 413.
    static let maxBody = 64 * 1024

    static let mediaType = "application/json; charset=utf-8"

    static func response(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        response(ByteBuffer(bytes: try data(value)), status: status)
    }

    static func data(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(timestamp(date))
        }
        return Array(try encoder.encode(value))
    }

    static func response(_ text: JSONText) -> Response {
        response(ByteBuffer(bytes: text.bytes), status: .ok)
    }

    private static func response(_ body: ByteBuffer, status: HTTPResponse.Status) -> Response {
        Response(
            status: status,
            headers: [.contentType: mediaType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: body))
    }

    /// RFC 3339 in UTC, cut to milliseconds: `2026-11-21T09:30:00.123Z`.
    static func timestamp(_ date: Date) -> String {
        String(unsafeUninitializedCapacity: timestampLength) { buffer in
            write(date, to: buffer)
            return timestampLength
        }
    }

    static let timestampLength = 24

    /// As `timestamp`, without a string: a page of friends has fifty.
    static func write(_ date: Date, to buffer: UnsafeMutableBufferPointer<UInt8>) {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1_000_000).rounded()).quotient(1000)
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

    /// The date of a day counted from 1970-01-01, years 0 to 9999, after Howard Hinnant's
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

/// The body of a request, with the fields it may have.
protocol RequestBody: Decodable {
    /// Paths like `invite.url`.
    static var fields: Set<String> { get }
}

extension Request {
    /// Decodes the JSON body. Anything else than one object with known fields of the right types, each
    /// once, is a 400 that names the field.
    func body<Body: RequestBody>(
        as type: Body.Type = Body.self, room: LargeBodies = .all
    ) async throws -> Body {
        let mediaType = try header(.contentType)?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
        guard mediaType?.lowercased() == "application/json" else {
            throw Problem(
                .unsupportedMediaType, "unsupported_media_type", "The body must be application/json.")
        }
        try refuseEncoding()
        let buffer = try await bodyBuffer(room)
        try JSONScan.check(buffer.readableBytesView, fields: Body.fields)
        do {
            return try JSONDecoder().decode(Body.self, from: buffer)
        } catch let error as DecodingError {
            throw Problem(error)
        }
    }

    /// RFC 9110 §15.5.16. Nothing is unpacked here: a few KB could become as much as there is memory.
    private func refuseEncoding() throws(Problem) {
        let isPlain = headers[values: .contentEncoding].allSatisfy {
            ["", "identity"].contains($0.trimmingCharacters(in: .whitespaces).lowercased())
        }
        guard isPlain else {
            throw Problem(
                .unsupportedMediaType, "unsupported_media_type",
                "The body must come as it is, without a coding.",
                field: "Content-Encoding", headers: [.acceptEncoding: "identity"])
        }
    }

    private func bodyBuffer(_ room: LargeBodies) async throws -> ByteBuffer {
        // Nothing of it is read where it says so itself.
        if let length = headers[.contentLength].flatMap(Int.init), length > JSON.maxBody {
            throw Problem.bodyTooLarge
        }
        var (collected, isLarge) = (ByteBuffer(), false)
        defer { if isLarge { room.giveBack() } }
        for try await var part in body {
            guard collected.readableBytes + part.readableBytes <= JSON.maxBody else {
                throw Problem.bodyTooLarge
            }
            collected.writeBuffer(&part)
            if !isLarge, collected.readableBytes > LargeBodies.from {
                guard room.take() else { throw Problem.tooManyBodies }
                isLarge = true
            }
        }
        return collected
    }
}

extension KeyedDecodingContainer {
    /// As `decodeIfPresent`, which does not say which field held a number that is no `Int`.
    func integerIfPresent(forKey key: Key) throws -> Int? {
        do {
            return try decodeIfPresent(Int.self, forKey: key)
        } catch let error as DecodingError {
            throw error
        } catch {
            throw DecodingError.typeMismatch(
                Int.self, .init(codingPath: codingPath + [key], debugDescription: "no Int"))
        }
    }
}

extension Problem {
    fileprivate init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self = .malformed("It is required.", field: Self.path(context.codingPath + [key]))
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self = .malformed("It has the wrong type.", field: Self.path(context.codingPath))
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            self = .malformed("Its value is not one of those allowed.", field: Self.path(context.codingPath))
        default:
            self = .malformed("The body is not valid JSON.")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String? {
        // An element of an array goes by the array's own name.
        let names = keys.filter { $0.intValue == nil }.map(\.stringValue)
        return names.isEmpty ? nil : names.joined(separator: ".")
    }
}

extension Int64 {
    /// Rounded down, with a remainder that is never negative.
    fileprivate func divided(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    fileprivate func quotient(_ divisor: Int64) -> Int64 { divided(by: divisor).quotient }
}
