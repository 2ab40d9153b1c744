import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Kernel
@testable import Kith

/// Texts that run from right to left, or would turn the line in which they stand.
@Suite(.inTurns) struct DirectionTests {
    private static let turned = "a\u{202E}b"

    @Test func `a text that turns lines has a place of its own, and others have none`() {
        let words = Words(language: "en", texts: ["x": "by {name}."], sayings: nil, zone: .gmt)
        #expect(tag("td", [:], Self.turned).html == "<td><bdi>\(Self.turned)</bdi></td>")
        #expect(tag("td", [:], "\u{05D0}<").html == "<td><bdi>\u{05D0}&lt;</bdi></td>")
        #expect(tag("td", [:], "Ünï 花").html == "<td>Ünï 花</td>")
        #expect(tag("title", [:], Self.turned).html == "<title>\(Self.turned)</title>")
        #expect(words("x", ["name": Self.turned]) == "by \u{2068}\(Self.turned)\u{2069}.")
        #expect(words("x", ["name": "ann"]) == "by ann.")
        // What ends the place before its end would let the rest out.
        #expect(tag("td", [:], "\u{2069}\u{202E}b").html == "<td><bdi>\u{202E}b</bdi></td>")
        #expect(words("x", ["name": "\u{2069}\u{202E}"]) == "by \u{2068}\u{202E}\u{2069}.")
        #expect(Difference(lines: ["~ a: \(Self.turned) → c"]).markup(words).html.contains("a\\u202eb → c"))
        #expect(Code("-d '\(Self.turned)'").markup(words).html.contains("<code>-d &#39;a\\u202eb&#39;"))
    }

    @Test func `a time that clocks leave out in spring stays as it was written, for the API to refuse`()
        throws
    {
        let words = Words(
            language: "en", texts: [:], sayings: nil,
            zone: try #require(TimeZone(identifier: "Europe/Berlin")))
        #expect(words.moment(ofLocal: "2027-03-28T02:30") == "2027-03-28T02:30")
        #expect(words.moment(ofLocal: "2027-03-28T03:30") == "2027-03-28T03:30:00+02:00")
    }

    @Test func `a uid, a name and a value stay within their places on pages`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            let uid = "u\u{202E}evil"
            try await app.signUp("bob", uid: uid)
            let name: Body = ["displayName": "\u{05D0}\u{05D1}"]
            #expect(try await app.call(.patch, "/v1/me", as: uid, body: name).status == 200)
            try await app.apply("values: {greeting: {value: \"a\u{202E}b\"}}")
            let ann = try await app.signIn("ann@example.com", [.admin])
            let page = try await app.get("/people/u%E2%80%AEevil", headers: ann).text
            #expect(page.contains("<code><bdi>\(uid)</bdi></code>"), "\(page)")
            #expect(page.contains("<bdi>\u{05D0}\u{05D1}</bdi>"))
            for path in ["/people/u%E2%80%AEevil", "/experiments", "/values/greeting", "/changes/1"] {
                let text = try await app.get(path, headers: ann).text
                let rest = text.replacing(
                    /<bdi>[^<]*<\/bdi>|\u{2068}[^\u{2069}]*\u{2069}|"[^"]*"|<textarea[^>]*>[^<]*/, with: "")
                #expect(!rest.contains("\u{202E}"), "\(path): \(rest)")
            }
        }
    }
}
