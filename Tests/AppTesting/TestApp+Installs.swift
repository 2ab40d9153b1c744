import Foundation
import HTTPTypes
import Testing

@testable import Kernel
@testable import Kith
@testable import Web

extension TestApp {
    static func withStores(_ config: inout Config) {
        config.app.appStoreID = "6448311069"
        config.app.iosTeamID = "ABCDE12345"
        config.app.iosBundleID = "com.example.app"
        config.app.androidPackage = "com.example.app"
    }

    /// Calls `POST /v1/installs/claim` as an app with a client key does.
    func claim(_ body: [String: String], of installation: String = "installation-1", app: String? = nil)
        async throws -> Answer
    {
        var body = body
        body["installationId"] = installation
        body["app"] = app
        return try await post(
            "/v1/installs/claim", as: nil, headers: keyed(.client), Body(stringLiteral: body.json))
    }

    /// Goes to Google Play as a phone does; returns what an app that was installed from there reads.
    func tap(_ path: String, headers: HTTPFields = .android) async throws -> String {
        let answer = try await get(path, headers: headers)
        return try #require(answer.playReferrer, "\(answer.status) \(answer.text.prefix(300))")
    }
}

extension HTTPFields {
    static let android: HTTPFields = [
        .userAgent:
            "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
        .accept: "text/html",
    ]
    static let iPhone: HTTPFields = [
        .userAgent:
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
        .accept: "text/html", .acceptLanguage: "ja-JP",
    ]
}

extension TestApp.Answer {
    /// The path of the first link of a page whose address contains a text.
    func href(containing part: String) -> String? {
        text.matches(of: /href="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
            .first { $0.contains(part) }
            .map { $0.replacing(TestApp.origin, with: "") }
    }

    /// What the page's button copies.
    var copied: String? {
        text.firstMatch(of: /data-copy="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
    }

    /// What an app that was installed from this redirect reads from Google Play.
    var playReferrer: String? {
        headers[.location].flatMap { URLComponents(string: $0) }?.queryItems?
            .first { $0.name == "referrer" }?.value
    }
}
