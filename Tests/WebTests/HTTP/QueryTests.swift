import Foundation
import HTTPTypes
import Testing

@testable import Web

/// Queries and percent-encoding: values that are decoded, refused, or passed on untouched.
@Suite struct QueryTests {
    @Test(
        arguments: [
            (nil, nil), ("", nil), ("b=1", nil), ("a", ""), ("a=", ""), ("a=1", "1"), ("x=2&a=1&y", "1"),
            ("&&a=1&&", "1"), ("a==", "="), ("a=1=2", "1=2"), ("a=b+c", "b+c"), ("a=%2B%20%26", "+ &"),
            ("%61=1", "1"), ("a=%e3%81%82", "あ"), ("a=%E3%81%82", "あ"), ("a=%252e", "%2e"), ("A=1", nil),
            ("a[]=1", nil), ("%00=1&a=2", "2"), ("%zz=1&a=2", "2"), ("a=;b=1", ";b=1"), ("a=?&b", "?"),
            ("aa=1", nil), ("a%3D1", nil),
        ] as [(String?, String?)])
    func `one value is read`(query: String?, value: String?) throws {
        #expect(try Query(query).value("a") == value)
    }

    @Test(arguments: [
        "a=1&a=1", "a=1&a=2", "a&a", "a=1&%61=2", "a=1&b&a", "a=%", "a=%4", "a=%zz", "a=%+1", "a=%00",
        "a=x%00y", "a=%FF", "a=%C0%80", "a=%ED%A0%80", "a=%E3%81", "a=%u0041", "a=%F5%80%80%80", "a=100%",
    ])
    func `several values, and malformed text, are a 400 that names the key`(query: String) {
        let problem = #expect(throws: Problem.self) { try Query(query).value("a") }
        #expect(problem?.status == .badRequest)
        #expect(problem?.field == "a")
    }

    @Test(
        arguments: [
            (nil, nil), ("", nil), ("&&", nil), ("limit=1", nil), ("after&limit=1&limit=2", nil),
            ("%6Cimit=1", nil),
            (
                "limt=1",
                "`limt` is not a parameter of this call, which has `after`, `limit`. Did you mean `limit`?"
            ),
            ("limit=1&x", "`x` is not a parameter of this call, which has `after`, `limit`."),
            (
                "Limit=1",
                "`Limit` is not a parameter of this call, which has `after`, `limit`. Did you mean `limit`?"
            ),
            (
                "limit%00=1",
                "`limit%00` is not a parameter of this call, which has `after`, `limit`. Did you mean `limit`?"
            ),
            ("=1", "`` is not a parameter of this call, which has `after`, `limit`."),
        ] as [(String?, String?)])
    func `a parameter that a call does not have is refused`(query: String?, detail: String?) {
        var problem: Problem?
        do { try Query(query).require(only: ["limit", "after"]) } catch { problem = error }
        #expect(problem?.detail == detail)
        #expect(problem?.status.code == detail.map { _ in 400 })
    }

    @Test func `of a long name an answer quotes the beginning`() {
        let problem = #expect(throws: Problem.self) {
            try Query(String(repeating: "x", count: 8000)).require(only: [])
        }
        #expect(problem?.field == String(repeating: "x", count: 64))
        #expect(problem?.detail.hasSuffix("is not a parameter of this call, which has none.") == true)
    }

    @Test(
        arguments: [
            ("2026-11-21T09:30:00Z", "2026-11-21T09:30:00.000Z"),
            ("2026-11-21T09:30:00.5Z", "2026-11-21T09:30:00.500Z"),
            ("2026-11-21T09:30:00.123456789Z", "2026-11-21T09:30:00.123Z"),
            ("2026-11-21T09:30:00+09:00", "2026-11-21T00:30:00.000Z"),
            ("2026-11-21T09:30:00.25-00:30", "2026-11-21T10:00:00.250Z"), ("2026-11-21T09:30:00", nil),
            ("", nil),
            ("2026-11-21T09:30:00.Z", nil), ("2026-11-21T09:30:00.1234567890Z", nil),
            ("2026-02-30T00:00:00Z", nil),
            ("0026-11-21T09:30:00Z", nil), ("2026-11-21 09:30:00Z", nil), ("2026-11-21T09:30:00z", nil),
            ("2026-11-21T09:30:00+9:00", nil), ("2026-11-21T09:30:00+24:00", nil),
            ("2026-11-21T09:30:00+09:60", nil),
            ("2026-11-21T09:30:00+0900", nil), ("2026-11-21T09:30:00ZZ", nil), ("2026-11-21T24:00:00Z", nil),
            ("２026-11-21T09:30:00Z", nil), ("2026-1-21T09:30:000Z", nil),
        ] as [(String, String?)])
    func `a time is as RFC 3339 writes it`(text: String, time: String?) {
        #expect(Date(rfc3339: text).map(JSON.timestamp) == time)
    }

    @Test(
        arguments: [
            (nil, nil), ("a=1", nil), ("a=1&b=2", "b=2"), ("b=2&a=1&c", "b=2&c"), ("%61=1&b", "b"),
            ("b=%zz&&a&%ff=1", "b=%zz&&%ff=1"), ("", ""), ("aa=1&a=1", "aa=1"), ("x=a&a=x", "x=a"),
        ] as [(String?, String?)])
    func `dropping keys leaves the rest byte for byte`(query: String?, rest: String?) {
        #expect(Query(query).dropping(["a"]) == rest)
    }

    @Test func `of many keys each is dropped however it is encoded, and the others keep their order`() {
        let names = (0..<2000).map { "key\($0)" }
        let pairs = names.enumerated().map { number, name in
            let isEncoded = number % 3 == 0
            return
                "\(isEncoded ? name.replacing("k", with: "%6B").replacing("e", with: "%65") : name)=\(number)"
        }
        let even = Set(names.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
        let odd = pairs.enumerated().filter { $0.offset % 2 == 1 }.map(\.element).joined(separator: "&")
        #expect(Query(pairs.joined(separator: "&")).dropping(even) == odd)
        #expect(Query(pairs.joined(separator: "&")).dropping(Set(names)) == nil)
    }

    @Test(
        arguments: [
            (nil, 50), ("limit=1", 1), ("limit=100", 100), ("limit=%31", 1),
        ] as [(String?, Int)])
    func `a limit is read`(query: String?, limit: Int) throws {
        #expect(try Query(query).limit() == limit)
    }

    @Test(arguments: [
        "", "0", "-1", "101", "1.5", "1e1", "x", "%20", "1%20", "٣", "１", "99999999999999999999", "0x10",
        "1,0", "1&limit=1", "%00", "NaN", "+5", "%2B5", "05", "007",
    ])
    func `an invalid limit is a 400`(value: String) {
        let problem = #expect(throws: Problem.self) { try Query("limit=\(value)").limit() }
        #expect(problem?.field == "limit")
    }

    @Test(arguments: [
        ("", ""), ("aZ09-._~", "aZ09-._~"), (" ", "%20"), ("+&=?#/%", "%2B%26%3D%3F%23%2F%25"),
        ("あ😀", "%E3%81%82%F0%9F%98%80"), ("\r\n\"'<>\\", "%0D%0A%22%27%3C%3E%5C"), ("%2e", "%252e"),
        ("e\u{301}é", "e%CC%81%C3%A9"), ("\u{202E}\u{200B}", "%E2%80%AE%E2%80%8B"),
    ])
    func `encoding leaves only unreserved characters, and decoding restores the text`(
        text: String, encoded: String
    ) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decode(encoded.utf8).map { Array($0.utf8) } == Array(text.utf8))
    }

    @Test func `every byte but NUL is restored, whether plain or escaped in either case`() {
        for byte in UInt8(1)...0x7F where byte != UInt8(ascii: "%") {
            let hex = String(byte, radix: 16)
            let escape = "%" + (hex.count == 1 ? "0" + hex : hex)
            for encoded in [escape, escape.uppercased()] {
                #expect(PercentEncoding.decode(encoded.utf8).map { Array($0.utf8) } == [byte])
            }
            #expect(PercentEncoding.decode([byte]).map { Array($0.utf8) } == [byte])
        }
        for byte in UInt8(0x80)...0xFF { #expect(PercentEncoding.decode([byte]) == nil) }
        #expect(PercentEncoding.decode([0]) == nil)
        #expect(PercentEncoding.decode("%00".utf8) == nil)
    }
}
