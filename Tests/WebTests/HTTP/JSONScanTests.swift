import CoreFoundation
import Foundation
import Testing

@testable import Web

/// The bodies that the strict scan of JSON accepts, after the JSONTestSuite of N. Seriot.
@Suite struct JSONScanTests {
    /// Whether the scan and then the decoder accept a body, as in `Request.body`.
    private func isAccepted(_ bytes: [UInt8]) -> Bool {
        guard (try? JSONScan.check(bytes)) != nil else { return false }
        return (try? JSONDecoder().decode(Anything.self, from: Data(bytes))) != nil
    }

    /// Decodes any JSON, so that the decoder reads all of it.
    private struct Anything: Decodable {
        init(from decoder: any Decoder) throws {
            if let object = try? decoder.container(keyedBy: Name.self) {
                for key in object.allKeys { _ = try object.decode(Anything.self, forKey: key) }
            } else if var array = try? decoder.unkeyedContainer() {
                while !array.isAtEnd { _ = try array.decode(Anything.self) }
            } else {
                let value = try decoder.singleValueContainer()
                guard
                    value.decodeNil() || (try? value.decode(Bool.self)) != nil
                        || (try? value.decode(Double.self)) != nil
                else {
                    _ = try value.decode(String.self)
                    return
                }
            }
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    @Test(arguments: [
        #"{}"#, #" { } "#, "\t\r\n{\"a\"\n:\r1\t}\n", #"{"a":1}"#, #"{"a":-0}"#, #"{"a":-0.1e+9}"#,
        #"{"a":1E22}"#, #"{"a":123456789012345}"#, #"{"a":true,"b":false,"c":null}"#, #"{"a":[]}"#,
        #"{"a":[ ]}"#, #"{"a":[1,[2,{"b":3}],null]}"#, #"{"a":{"a":{"a":1}}}"#, #"{"":0}"#,
        #"{"a":""}"#, #"{"a":"\"\\\/\b\f\n\r\t"}"#, #"{"a":"\u0061\u30af\u20AC"}"#,
        #"{"a":"\uD801\udc37"}"#, #"{"a":"\ud83d\ude39\ud83d\udc8d"}"#, #"{"a":"\uFFFF"}"#,
        #"{"a":"\u002c\u003d"}"#, #"{"a":"asd\u007f"}"#, "{\"a\":\"\u{7F}\u{A0}\u{2028}\u{10FFFF}\"}",
        #"{"a":"new\u000Aline"}"#, #"{"\u0061b":1}"#, #"{"a":"{[\"x\":,]}"}"#,
    ])
    func `valid JSON objects pass`(json: String) {
        #expect(isAccepted(Array(json.utf8)))
        #expect((try? JSONSerialization.jsonObject(with: Data(json.utf8))) is [String: Any])
    }

    @Test(arguments: [
        "", " ", "{", "}", "{}}", "{} {}", "{}x", "{}#", "{},", #"{"a"}"#, #"{"a":}"#, #"{"a" 1}"#,
        #"{"a":1"#, #"{"a":"x}"#, #"{"a":"x"#, #"{"a"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1,,"b":2}"#,
        #"{"a":1 "b":2}"#, #"{"a"::1}"#, #"{a:1}"#, #"{'a':1}"#, #"{1:1}"#, #"{"a":'x'}"#, #"{null:1}"#,
        #"{"a":[1,]}"#, #"{"a":[,1]}"#, #"{"a":[1,,2]}"#, #"{"a":[1 2]}"#, #"{"a":[}"#, #"{"a":[1}"#,
        #"{"a":]}"#, #"{"a":[[]}"#, #"{"a":01}"#, #"{"a":-01}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":1.}"#,
        #"{"a":1.e1}"#, #"{"a":1e}"#, #"{"a":1e+}"#, #"{"a":0x1}"#, #"{"a":1_0}"#, #"{"a":-}"#,
        #"{"a":--1}"#, #"{"a":1-2}"#, #"{"a":NaN}"#, #"{"a":Infinity}"#, #"{"a":-Infinity}"#,
        #"{"a":nul}"#, #"{"a":True}"#, #"{"a":tru"e}"#, #"{"a":truefalse}"#, #"{"a":undefined}"#,
        #"{"a":/**/1}"#, "{\"a\":1} // x", #"{"a":"\x41"}"#, #"{"a":"\a"}"#, #"{"a":"\'"}"#,
        #"{"a":"\0"}"#, #"{"a":"\U0061"}"#, #"{"a":"\u"}"#, #"{"a":"\u00"}"#, #"{"a":"\u00g1"}"#,
        #"{"a":"\u{61}"}"#, #"{"a":"\"}"#, "{\"a\":\"line\nbreak\"}", "{\"a\":\"tab\t\"}",
        "{\"a\":\"nul\u{0}\"}", "{\"a\":\u{0}1}", "{\"a\u{0}\":1}", "{\"a\":1\u{C}}", "{\u{A0}}",
        "{\"a\u{2028}\":1}\u{2028}", "\u{FEFF}{}", #"{"\x61":1}"#, #"{"a\ud800":1}"#, #"{"a\u0000":1}"#,
        #"{"a":"\ud800"}"#, #"{"a":"\udc00"}"#, #"{"a":"\ud800\ud800"}"#, #"{"a":"\ud800x"}"#,
        #"{"a":"\ud800\n"}"#, #"{"a":"\udc00\ud800"}"#, #"{"a":"\ud800\u0041"}"#, #"{"a":"\u0000"}"#,
        #"{"a":"\uD83D\u"}"#, #"{"a":"\uD83D\"}"#,
    ])
    func `text that is not a JSON object, or that two parsers could read differently, is refused`(
        json: String
    ) {
        #expect(!isAccepted(Array(json.utf8)))
    }

    @Test(arguments: ["1", "\"x\"", "null", "true", "[]", "[{}]", "[1]"])
    func `a top level that is not an object is refused`(json: String) {
        #expect(throws: JSONScanError.self) { try JSONScan.check(Array(json.utf8)) }
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xE3, 0x81], [0xF0, 0x9F, 0x98],
            [0xFC, 0x80, 0x80, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func `bytes that are not UTF-8 are refused, and the field is named`(bytes: [UInt8]) {
        let body = Array(#"{"a":{"b":"x"#.utf8) + bytes + Array(#""}}"#.utf8)
        let problem = #expect(throws: JSONScanError.self) { try JSONScan.check(body, fields: ["a", "a.b"]) }
        #expect(problem?.field == "a.b")
        #expect(throws: JSONScanError.self) { try JSONScan.check(body) }
        let inKey = Array(#"{"x"#.utf8) + bytes + Array(#"":1}"#.utf8)
        #expect(throws: JSONScanError.self) { try JSONScan.check(inKey) }
        #expect(throws: JSONScanError.self) { try JSONScan.check(Array("{".utf8) + bytes + Array("}".utf8)) }
    }

    @Test(arguments: [
        (#"{"a":1,"a":2}"#, "a"), (#"{"a":1,"b":2,"\u0061":2}"#, "a"), (#"{"x":{"a":1,"a":1}}"#, "x.a"),
        (#"{"x":[{"a":1},{"a":1,"a":1}]}"#, "x.a"),
    ])
    func `a key given twice is refused, however it is written`(json: String, field: String) {
        let problem = #expect(throws: JSONScanError.self) {
            try JSONScan.check(Array(json.utf8), fields: ["a", "b", "x", "x.a"])
        }
        #expect(problem?.field == field)
        let free = #expect(throws: JSONScanError.self) { try JSONScan.check(Array(json.utf8)) }
        #expect(free?.field == "a")
    }

    @Test func `a backslash in a key does not make it another key`() throws {
        let json = Array(#"{"la\bel":1,"label":2,"n":1,"\n":2}"#.utf8)
        try JSONScan.check(json)
        try JSONScan.check(json, fields: ["la\u{8}el", "label", "n", "\n"])
    }

    @Test func `all listed fields are accepted, and the first other one is named`() throws {
        let json = #"{"a":{"b":{"c":1},"d":[{"e":1},{"f":[{"g":2}]}]},"h":"\ud83d\ude00","\u0069":0}"#
        let all: Set = ["a", "a.b", "a.b.c", "a.d", "a.d.e", "a.d.f", "a.d.f.g", "h", "i"]
        try JSONScan.check(Array(json.utf8), fields: all)
        for missing in all {
            let problem = #expect(throws: JSONScanError.self) {
                try JSONScan.check(Array(json.utf8), fields: all.subtracting([missing]))
            }
            #expect(problem?.field == missing)
        }
    }

    @Test(arguments: [("[", "]"), ("{\"a\":", "}")])
    func `nesting is limited, without exhausting the stack at any depth`(open: String, close: String) {
        func nested(_ depth: Int) -> [UInt8] {
            Array(
                "{\"a\":\(String(repeating: open, count: depth))1\(String(repeating: close, count: depth))}"
                    .utf8)
        }
        #expect(isAccepted(nested(14)))
        #expect(!isAccepted(nested(16)))
        #expect(!isAccepted(nested(100_000)))
        #expect(!isAccepted(Array("{\"a\":\(String(repeating: open, count: 100_000))".utf8)))
    }

    @Test func `every proper prefix of a valid body is refused`() {
        let json = Array(#"{"a":[1,{"b":"\ud83d\ude00é"}],"c":null}"#.utf8)
        #expect(isAccepted(json))
        for end in 0..<json.count { #expect(!isAccepted(Array(json[..<end]))) }
    }

    @Test func `no change of one byte crashes scan or decoder, or makes them accept what is not JSON`() {
        let json = Array(#"{"a":[1,{"b":"\u00e9é"}]}"#.utf8)
        for place in json.indices {
            for byte in UInt8.min ... .max {
                var changed = json
                changed[place] = byte
                if isAccepted(changed) {
                    #expect((try? JSONSerialization.jsonObject(with: Data(changed))) is [String: Any])
                }
            }
        }
    }
}

/// The cost of the scan.
extension JSONScanTests {
    /// Counts the reads of bytes.
    private struct Counted: RandomAccessCollection {
        final class Count { var looks = 0 }

        let bytes: [UInt8]
        let count = Count()

        var startIndex: Int { bytes.startIndex }
        var endIndex: Int { bytes.endIndex }
        subscript(place: Int) -> UInt8 {
            count.looks += 1
            return bytes[place]
        }
    }

    /// An object under a key of `keyLength` in an object; the inner one has `keys` short keys.
    private static func nested(keyLength: Int, keys: Int) -> [UInt8] {
        let inner = (0..<keys).map { "\"\($0)\":1" }.joined(separator: ",")
        return Array("{\"\(String(repeating: "k", count: keyLength))\":{\(inner)}}".utf8)
    }

    @Test func `an unknown field is refused before its value is read, and a long one before its end`() {
        for length in [3, 128, 129, 100_000] {
            let body = Counted(bytes: Self.nested(keyLength: length, keys: 10_000))
            let problem = #expect(throws: JSONScanError.self) { try JSONScan.check(body, fields: ["a"]) }
            #expect(problem?.field?.utf8.count ?? 0 <= 128)
            #expect(body.count.looks < 1000, "\(length)")
        }
        let known = #"{"a":{"\#(String(repeating: "k", count: 129))":1}}"#
        let problem = #expect(throws: JSONScanError.self) {
            try JSONScan.check(Array(known.utf8), fields: ["a", "a.b"])
        }
        #expect(problem?.field == "a")
    }
}
