import Testing

@testable import AppTesting
@testable import Web

@Suite struct JSONTokenizerTests {
    private func tokens(_ text: String, _ bounds: JSONBounds = .document) throws(JSONFault) -> [JSONToken] {
        var tokenizer = JSONTokenizer(Array(text.utf8), bounds)
        var tokens = [try tokenizer.next()]
        while tokens.last != .end { tokens.append(try tokenizer.next()) }
        return tokens
    }

    @Test func `a text is read token by token, numbers as they were written`() throws {
        #expect(
            try tokens(#" {"a" : [1, -0.5e+3,true],"\u0062":{},"c":[ ] , "d":null,"e":"\ud83d\ude00é\n"} "#)
                == [
                    .object, .name("a"), .array, .number("1"), .number("-0.5e+3"), .bool(true), .endOfArray,
                    .name("b"), .object, .endOfObject, .name("c"), .array, .endOfArray, .name("d"), .null,
                    .name("e"), .text("😀é\n"), .endOfObject, .end,
                ])
        #expect(try tokens("7") == [.number("7"), .end])
        #expect(try tokens(#""x""#) == [.text("x"), .end])
    }

    @Test(arguments: [
        "01", "1.", ".5", "-", "+1", "1e", "1e+", "1.e1", "0x1", "1_0", "--1", "1-2", "NaN", "Infinity",
        "tru", "truex",
        "nulll", "True", "x", "1\u{A0}", "\u{660}",
    ])
    func `a word that is no literal is refused`(word: String) {
        #expect(throws: JSONFault.self) { try tokens("[\(word)]") }
        #expect(throws: JSONFault.self) { try tokens(word) }
    }

    @Test(arguments: [
        (JSONBounds(depth: 2, members: 9, name: 9), "[[1]]", "[[[1]]]", "is nested too deeply"),
        (JSONBounds(depth: 2, members: 9, name: 9), #"{"a":{}}"#, #"{"a":[{}]}"#, "is nested too deeply"),
        (
            JSONBounds(depth: 9, members: 2, name: 9), #"[{"a":1},{"a":1}]"#, #"[{"a":1},{"a":1},{"a":1}]"#,
            "has too many fields"
        ),
    ])
    func `bounds hold to the last one allowed`(bounds: JSONBounds, good: String, bad: String, reason: String)
        throws
    {
        _ = try tokens(good, bounds)
        let fault = #expect(throws: JSONFault.self) { try tokens(bad, bounds) }
        #expect(fault?.kind == .bounds(reason))
    }

    @Test func `more than 30 accents in a row are no text, however they are written`() throws {
        let accents = (0..<31).map { $0 % 2 == 0 ? "\u{301}" : "\u{316}" }
        let (good, bad) = ("e" + accents.dropLast().joined(), "e" + accents.joined())
        #expect(try tokens("\"\(good)\(good)\"", .body) == [.text(good + good), .end])
        for text in [bad, "a" + bad + "a", "e" + String(repeating: #"\u0301"#, count: 31)] {
            let fault = #expect(throws: JSONFault.self) { try tokens("\"\(text)\"", .body) }
            #expect(fault?.kind == .text("has more than 30 accents in a row"))
        }
        #expect(PercentEncoding.decode(PercentEncoding.encode(good).utf8) == good)
        #expect(PercentEncoding.decode(PercentEncoding.encode(bad).utf8) == nil)
    }

    @Test(arguments: ["kkkk", #"kkk\n"#, #"\u00e9kk"#])
    func `a name has at most so many bytes, however it is written`(name: String) throws {
        let bounds = JSONBounds(depth: 9, members: 9, name: 4)
        _ = try tokens("{\"\(name)\":1}", bounds)
        let fault = #expect(throws: JSONFault.self) { try tokens("{\"\(name)k\":1}", bounds) }
        #expect(fault?.kind == .text("has a field whose name is too long"))
    }
}
