import Foundation
import Testing

@testable import LinkTools
@testable import Web

/// Where `kith check-preview` lets a foreign page lead it.
@Suite struct PreviewReachTests {
    private static let addresses = [
        "page.example": "8.8.8.8", "cdn.example": "2606:4700::1", "inside.example": "10.0.0.7",
        "mapped.example": "::ffff:169.254.169.254",
    ]

    private func check(_ url: String) throws -> PreviewCheck {
        var check = try #require(PreviewCheck(url))
        check.lookup = HostLookup { [Self.addresses[$0]].compactMap(\.self) }
        return check
    }

    @Test(arguments: [
        ("https://cdn.example/x", true), ("https://unknown.example/", true),
        ("https://page.example:8443/", true),
        ("http://169.254.169.254/latest", false), ("http://127.0.0.1:8080/", false), ("http://[::1]/", false),
        ("http://inside.example/", false), ("http://mapped.example/", false), ("http://192.168.0.1/", false),
    ])
    func `a page of the Internet leads it into no private network`(target: String, isReached: Bool)
        async throws
    {
        let url = try #require(URL(string: target))
        #expect(try await check("https://page.example/").mayReach(url) == isReached)
        #expect(try await check("http://127.0.0.1:8080/").mayReach(url), "of one's own network it may")
    }
}
