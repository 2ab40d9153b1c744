import Testing

@testable import Web

@Suite struct JSONTreeTests {
    @Test func `names stay in order, repeated ones too, each value with its line`() throws {
        let tree = try JSONTree(
            Array("{\"b\": 1,\n \"a\": [true, null,\n\"\\u00e9\\ud83d\\ude00\"], \"b\": -0.5e+3}".utf8))
        #expect(tree.members?.map(\.key) == ["b", "a", "b"])
        #expect(tree["a"]?.elements?.map(\.line) == [2, 2, 3])
        #expect(tree["a"]?.elements?[2].text == "é😀")
        #expect(tree["b"] == JSONTree(.number("1"), line: 1))
    }

    @Test(arguments: [
        ("", 1, 1, "it ends too early"), ("{}\n x", 2, 2, "something follows the end"),
        ("[1,]", 1, 4, "a value must follow the comma"), ("{\"a\":1,}", 1, 8, "a name must follow the comma"),
        ("{a:1}", 1, 2, "a name in quotes must stand here"), ("{\"a\" 1}", 1, 6, "a colon must stand here"),
        ("[1 2]", 1, 4, "a comma or ] must stand here"), ("[\n\n'a']", 3, 1, "a value must stand here"),
        ("[\"é\n\"]", 1, 4, "a text holds a line break or a control character"),
        ("[\"a", 1, 4, "a text has no end"),
        ("[\"\\x\"]", 1, 4, "a backslash is followed by what JSON does not know"),
        ("[01]", 1, 2, "a value must stand here"),
        ("[\"\\ud800x\"]", 1, 9, "a text holds half of a surrogate pair"),
        ("[\"\\u12\"]", 1, 7, "a broken escape"),
        ("// x\n{}", 1, 1, "a value must stand here"), ("[NaN]", 1, 2, "a value must stand here"),
    ])
    func `what is not JSON is told with its place`(text: String, line: Int, column: Int, reason: String) {
        let fault = #expect(throws: JSONFault.self) { _ = try JSONTree(Array(text.utf8)) }
        #expect(fault?.reason == reason)
        #expect(fault?.line == line)
        #expect(fault?.column == column)
    }

    @Test func `text that is not UTF-8 is no JSON`() {
        #expect(throws: JSONFault.self) { _ = try JSONTree([0x22, 0xFF, 0x22]) }
    }
}
