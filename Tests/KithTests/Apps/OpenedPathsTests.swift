import Testing

@testable import Kith

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
        // Row 5.
        ("/", false), ("/users", false), ("/users/", false), ("/robots.txt", false), ("/icon.png", false),
        ("/apple-app-site-association", false), ("/.well-known/assetlinks.json", false),
        ("/.well-known/apple-app-site-association", false), ("/7h2k9m4pqr5t8vw", false),
    ])
    func `the app opens what it can show`(path: String, opens: Bool) {
        #expect(OpenedPaths.opens(path) == opens)
    }

    @Test func `a short link has the length of a code`() {
        #expect(OpenedPaths.codeLength == Invite.Code.length)
    }

    @Test(arguments: [
        ("*", "", true), ("*", "/a/b", true), ("/a", "/a", true), ("/a", "/A", false), ("/a", "/ab", false),
        ("/a*", "/a", true), ("/*/b", "/a/c/b", true), ("/*/b", "/a/b/c", false), ("/?", "/", false),
        ("/?", "/ab", false), ("/?", "/é", false), ("*a*b*", "xaxxb", true), ("*a*b", "ab.b", true),
        ("*a*b", "aba", false), ("/**", "/", true), ("", "", true), ("", "/", false),
    ])
    func `a star is any text, and a question mark one character`(pattern: String, path: String, meets: Bool) {
        #expect(PathPattern(text: pattern).matches(path) == meets)
    }

    @Test func `a pattern of many stars takes no longer than its length times the path's`() {
        let pattern = PathPattern(text: String(repeating: "*a", count: 200) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 8000)))
    }
}
