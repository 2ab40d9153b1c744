import Testing

@testable import Kernel
@testable import Web

/// Which texts are tags, and which of them are the same.
struct LinkTagTests {
    @Test(arguments: [
        ("spring", "spring"), ("Spring", "spring"), ("  Summer   Sale ", "summer sale"),
        ("2026/q1", "2026/q1"),
        ("utm:mail_a.b-c", "utm:mail_a.b-c"), ("e\u{301}TE\u{301}", "\u{E9}t\u{E9}"),
        ("\u{C9}T\u{C9}", "\u{E9}t\u{E9}"), ("春", "春"), ("ربيع", "ربيع"), ("हिन्दी", "हिन्दी"),
        (String(repeating: "x", count: 32), String(repeating: "x", count: 32)),
    ])
    func `all spellings of a tag are one`(given: String, folded: String) {
        #expect(LinkTag(given)?.text.unicodeScalars.map(\.value) == folded.unicodeScalars.map(\.value))
        #expect(LinkTag(folded)?.text == folded)
    }

    @Test(arguments: [
        "", " ", "-", ".:/", "a,b", "a\tb", "a\nb", "a\u{0}b", "a\u{202E}b", "a\u{200F}b", "a\u{200B}b",
        "a\u{2066}b", "a\u{FE0F}", "a\u{34F}b", "\u{3164}", "\u{301}", "a%b", "a\\b", "\"a\"", "a\u{A0}b",
        "🔥",
        String(repeating: "x", count: 33), String(repeating: "x", count: 1_000_000),
    ])
    func `what is no word, or hides something, is no tag`(given: String) {
        #expect(LinkTag(given) == nil)
    }

    @Test func `a link has at most ten tags, each once`() throws {
        #expect(try LinkTag.tags(["b", "A", "a", " B "]).map(\.text) == ["b", "a"])
        #expect(try LinkTag.tags((0..<10).map { "\($0)" }).count == 10)
        for wrong in [(0..<10_000).map { "\($0)" }, ["a", "b\u{202E}"]] {
            #expect(throws: Problem.self) { try LinkTag.tags(wrong) }
        }
    }
}
