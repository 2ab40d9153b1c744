import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// URLs of the app's own scheme by the path of a page.
@Suite struct SchemeURLTests {
    @Test(
        arguments: [
            ("/hotels/* url=rlx://hotels/*/", "/hotels/27500", "rlx://hotels/27500/"),
            ("/hotels/* url=rlx://hotels/*/", "/hotels/27500/", "rlx://hotels/27500/"),
            ("/hotels/* url=rlx://hotels/*/", "/hotels/27500?a=1", "rlx://hotels/27500/?a=1"),
            ("/hotels/* url=rlx://hotels/*/", "/hotels/27500?a=1#x", "rlx://hotels/27500/?a=1#x"),
            ("/hotels/* url=rlx://hotels/*/", "/hotel/27500", nil),
            ("/hotels/* url=rlx://hotels/*/", "/hotels", nil),
            ("/*/rooms/* url=rlx://r/*/*", "/h1/rooms/2/rooms/3", "rlx://r/h1/2/rooms/3"),
            ("/*/rooms/* url=rlx://r/*", "/h1/rooms/2", "rlx://r/h1"),
            ("/a*b*c url=RLX:*-*", "/axbybzc", "rlx:x-ybz"), ("/a*b*c url=rlx:*", "/abc", "rlx:"),
            ("/a*bc*c url=rlx:*", "/abc", nil), ("/a*a url=rlx:*", "/a", nil),
            ("/d?/* url=rlx:*", "/d7/x", "rlx:x"), ("/d?/* url=rlx:*", "/d/x", nil),
            ("/ url=rlx:home", "/", "rlx:home"), ("/ url=rlx:home", "", "rlx:home"),
            ("/x url=rlx:home", "/", nil),
            ("/s url=rlx://s?from=web", "/s?a=1", "rlx://s?from=web"),
            ("/n/* url=rlx://n/*", "/n/%E8%8A%B1", "rlx://n/%E8%8A%B1"),
        ] as [(String, String, String?)])
    func `what the stars of the path stand for takes the place of those of the URL`(
        text: String, rest: String, url: String?
    ) throws {
        let found = try #require(SchemeURL(text)).url(of: WebURL("https://example.com\(rest)"))
        // The scheme stands as the operator wrote it.
        #expect(found?.replacing("RLX", with: "rlx") == url)
    }

    @Test(arguments: [
        "", "/hotels/*", "hotels/* url=rlx://*", "/h url=rlx://*", "/h/* url=rlx://*/*", "/h/* url=*",
        "/h url=rlx", "/h url=javascript:x", "/h url=https://evil.example/", "/h url=intent:x", "/h url=1x:y",
        "/h/$(lang)/* url=rlx:*", "/h url=rlx:花", "/h url=rlx:a url=rlx:b", "/h link=rlx:a", "/h url=",
    ])
    func `what is no path, or no URL of a scheme with as many stars at most, is refused`(text: String) {
        #expect(SchemeURL(text) == nil)
    }

    @Test func `a path with many stars costs little more than a path with one`() async throws {
        let page = try WebURL("https://example.com/\(String(repeating: "a", count: 2000))")
        func cost(stars: Int) async throws -> Double {
            let url = try #require(SchemeURL("\(String(repeating: "/*a", count: stars))b url=rlx:*"))
            return try await MeteredExecutor().measure {
                for _ in 0..<100 { #expect(url.url(of: page) == nil) }
            }
            .0
        }
        let one = try await cost(stars: 1)
        let many = try await cost(stars: 60)
        #expect(many < 60 * one + 1)
    }
}
