import Testing

@testable import Graph
@testable import Kernel

/// The table "Which links open the app" in docs/rules.md, a row each, and the patterns it is made of.
@Suite struct OpenedPathsTests {
    @Test(arguments: [
        // Row 1.
        ("/users/hana", true), ("/users/%E8%8A%B1", true), ("/users/a", true),
        // Row 2.
        ("/7h2k9m4pqr5t8vwx", true), ("/7H2K9M4PQR5T8VWX", true),
        // Row 3.
        ("/users/hana/qr.svg", false), ("/users/hana/card.jpg", false), ("/7h2k9m4pqr5t8vwx/qr.png", false),
        // Row 4.
        ("/v1/me", false), ("/v1/friends/abcde", false), ("/v1/admin/users/u", false), ("/v1", false),
        // Row 6; row 5 is VanityLinkTests'.
        ("/@hana", false), ("/", false), ("/users", false), ("/users/", false), ("/robots.txt", false),
        ("/icon.png", false),
        ("/apple-app-site-association", false), ("/.well-known/assetlinks.json", false),
        ("/.well-known/apple-app-site-association", false), ("/7h2k9m4pqr5t8vw", false),
    ])
    func `the app opens what it can show`(path: String, opens: Bool) {
        for reader in PathPattern.Reader.allCases {
            #expect(OpenedPaths.opens(path, for: reader) == opens, "\(reader)")
        }
    }

    @Test func `a short link has the length of a code`() {
        #expect(OpenedPaths.codeLength == Invite.Code.length)
    }

    @Test(arguments: [
        ("*", "", true), ("*", "/a/b", true), ("/a", "/a", true), ("/a", "/A", false), ("/a", "/ab", false),
        ("/a*", "/a", true), ("/*/b", "/a/c/b", true), ("/*/b", "/a/b/c", false), ("/?", "/", false),
        ("/?", "/ab", false), ("/?", "/é", true), ("*a*b*", "/xaxxb", true), ("*a*b", "/ab.b", true),
        ("*a*b", "/aba", false), ("/", "/", true), ("/a/?*", "/a/", false),
    ])
    func `a star is any text, and a question mark one character`(pattern: String, path: String, meets: Bool) {
        for reader in PathPattern.Reader.allCases {
            #expect(PathPattern(text: pattern, reader: reader).matches(path) == meets, "\(reader)")
        }
    }

    /// What `swcutil match` of macOS 27 answers.
    @Test(arguments: [
        ("/buy/*", "/buy", true), ("/buy/*", "/buy/", true), ("/buy/*", "/buy//", true),
        ("/buy/*", "/buyer", false), ("/a/b/*", "/a/b", true), ("/a/*/c", "/a/c", false),
        ("/buy", "/buy/", true), ("/buy/", "/buy", true), ("/buy/", "/buy//", true), ("abc", "/abc", true),
        ("abc", "/abcd", false), ("abc", "/xabc", false), ("buy/*", "/buy/42", true), ("abc/*", "/abc", true),
        ("*abc", "/xabc", true), ("//abc", "/abc", true), ("a/b", "/a/b", true),
        ("/id/????", "/id/481", false),
        ("/a b", "/a%20b", false), ("/a/b", "/a%2Fb", false), ("/caf%C3%A9", "/caf%c3%a9", false),
    ])
    func `Apple ignores slashes at the ends`(pattern: String, path: String, meets: Bool) {
        #expect(PathPattern(text: pattern).matches(path) == meets)
    }

    @Test(arguments: [
        ("/$(lang)_$(region)/$(food)/", "/en_US/pizza/", true),
        ("/$(lang)_$(region)/$(food)/", "/en_US/tacos/", false),
        ("/$(lang)_$(region)/$(food)/", "/qq_ZZ/pizza/", false), ("/$(food)", "/$(food)", false),
        ("/$(region)/home", "/GB/home", true), ("/$(region)/home", "/UK/home", false),
        ("/$(digit)", "/7", true), ("/$(digit)", "/x", false), ("/$(alpha)", "/q", true),
        ("/$(upper)", "/q", false), ("/$(lower)", "/Q", false), ("/$(alnum)", "/-", false),
        ("/$(xdigit)", "/f", true), ("/$(xdigit)", "/g", false), ("/$(wild)/x", "/abcz/x", true),
        ("/$(nobody)", "/nobody", false), ("/$(digit", "/7", false),
    ])
    func `a variable stands for the texts of its list`(pattern: String, path: String, meets: Bool) {
        let pattern = PathPattern(
            text: pattern,
            variables: URLVariables(["food": ["burrito", "pizza", "sushi", "samosa"], "wild": ["a*z"]]))
        #expect(pattern.matches(path) == meets)
    }

    @Test(arguments: [
        ("*", "/a", true), ("/*", "/a/?", true), ("/a/*", "/a/b/*", true), ("/a/*", "/a", true),
        ("/a/?*", "/a/*", false),
        ("/?", "/a", true), ("/a", "/?", false), ("/$(digit)", "/7", true), ("/$(digit)", "/$(digit)", true),
        ("/*/b", "/a/b", true), ("/a?", "/a*", false), ("/*a", "/b", false),
    ])
    func `a pattern covers another if it matches all that this matches`(
        one: String, other: String, covers: Bool
    ) {
        #expect(PathPattern(text: one).covers(PathPattern(text: other)) == covers)
    }

    @Test func `case counts unless a rule says otherwise`() {
        #expect(PathPattern(text: "/$(upper)B", ignoringCase: true).matches("/aB"))
        #expect(!PathPattern(text: "/b").covers(PathPattern(text: "/b", ignoringCase: true)))
    }

    @Test func `a pattern of many stars takes no longer than its length times the path's`() {
        let pattern = PathPattern(text: String(repeating: "*a", count: 200) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 8000)))
    }
}
