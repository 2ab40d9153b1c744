import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

@Suite struct AssociationRoutesTests {
    private static let apple = "/.well-known/apple-app-site-association"
    private static let google = "/.well-known/assetlinks.json"
    private static let keys = ["14:6d:e9", "00:01:02"].map { $0 + String(repeating: ":ab", count: 29) }

    private static func configure(_ config: inout Config) {
        config.app.iosTeamID = "ABCDE12345"
        config.app.iosBundleID = "com.example.app"
        config.app.androidPackage = "com.example.app"
        config.app.androidFingerprints = keys.joined(separator: ", ")
    }

    @Test func `iPhones read which links open the app, new systems and old ones`() async throws {
        try await TestApp.run(configure: Self.configure) { app in
            let answer = try await app.get(Self.apple)
            #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
            #expect(answer.bytes.count < 128 << 10)
            #expect(try await app.get("/apple-app-site-association").bytes == answer.bytes)
            let file = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [String: Any])
            let links = try #require(file["applinks"] as? [String: Any])
            #expect((links["apps"] as? [String])?.isEmpty == true)
            let details = try #require(links["details"] as? [[String: Any]])
            #expect(details.map { $0["appIDs"] as? [String] } == [["ABCDE12345.com.example.app"]])
            #expect(details.map { $0["appID"] as? String } == ["ABCDE12345.com.example.app"])
            let components = try #require(details[0]["components"] as? [[String: Any]])
            #expect(
                components.map { "\($0["exclude"] == nil ? "" : "NOT ")\($0["/"] ?? "")" }
                    == details[0]["paths"] as? [String])
            #expect(components.map { $0["/"] as? String } == OpenedPaths.rules.map(\.pattern.text))
            #expect(
                (file["webcredentials"] as? [String: [String]])?["apps"] == ["ABCDE12345.com.example.app"])
        }
    }

    @Test func `Android devices read who signs the app`() async throws {
        try await TestApp.run(configure: Self.configure) { app in
            let answer = try await app.get(Self.google)
            #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
            let list = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.bytes)) as? [[String: Any]])
            #expect(
                list.map { $0["relation"] as? [String] } == [["delegate_permission/common.handle_all_urls"]])
            let target = try #require(list[0]["target"] as? [String: Any])
            #expect(target["namespace"] as? String == "android_app")
            #expect(target["package_name"] as? String == "com.example.app")
            #expect(target["sha256_cert_fingerprints"] as? [String] == Self.keys.map { $0.uppercased() })
        }
    }

    @Test(arguments: [apple, "/apple-app-site-association", google])
    func `a file has a tag, and redirects nobody`(path: String) async throws {
        try await TestApp.run(configure: Self.configure) { app in
            let answer = try await app.get(path, headers: [.userAgent: "swcd (unknown version)"])
            #expect(answer.status == 200 && answer.headers[.location] == nil)
            #expect(answer.headers[.cacheControl] == "public, max-age=3600")
            let tag = try #require(answer.headers[.eTag])
            let again = try await app.get(path, headers: [.ifNoneMatch: tag])
            #expect(again.status == 304 && again.bytes.isEmpty)
        }
    }

    @Test(arguments: [apple, "/apple-app-site-association", google])
    func `without an app there is no file`(path: String) async throws {
        try await TestApp.run { app in
            let answer = try await app.get(path)
            #expect(answer.status == 404)
        }
    }

    private struct Wrong: Sendable {
        var (team, bundle, fingerprints): (String?, String?, String?)
        var message: String

        init(team: String? = nil, bundle: String? = nil, fingerprints: String? = nil, _ message: String) {
            (self.team, self.bundle, self.fingerprints) = (team, bundle, fingerprints)
            self.message = message
        }
    }

    private static let wrong: [Wrong] = [
        Wrong(
            team: "ABCDE12345", "KITH_IOS_TEAM_ID is set, but KITH_IOS_BUNDLE_ID, which belongs to it, is not"
        ),
        Wrong(bundle: "com.example.app", "KITH_IOS_BUNDLE_ID is set, but KITH_IOS_TEAM_ID"),
        Wrong(team: "abcde12345", bundle: "a.b", "'abcde12345' and 'a.b' are not allowed"),
        Wrong(team: "ABCDE12345", bundle: "a b", "must be as in ABCDE12345 and com.example.app"),
        Wrong(fingerprints: "", "'' is not allowed: it must be the SHA-256"),
        Wrong(fingerprints: String(repeating: "ab:", count: 19) + "ab", "and this is a SHA-1"),
        Wrong(fingerprints: String(repeating: "a", count: 64) + ",", "'' is not allowed"),
        Wrong(fingerprints: String(repeating: "ab:", count: 32), "is not allowed"),
        Wrong(fingerprints: String(repeating: "g", count: 64), "is not allowed"),
    ]

    @Test(arguments: wrong)
    private func `a wrong setting is refused at the start, with what it must be`(wrong: Wrong) {
        var config = AppConfig()
        config.androidPackage = "com.example.app"
        (config.iosTeamID, config.iosBundleID) = (wrong.team, wrong.bundle)
        config.androidFingerprints = wrong.fingerprints
        let error = #expect(throws: AppsError.self) { _ = try AssociationFiles(config) }
        #expect(error.map { "\($0)" }?.contains(wrong.message) == true)
    }

    @Test func `fingerprints need the package that they sign`() {
        var config = AppConfig()
        config.androidFingerprints = String(repeating: "a", count: 64)
        #expect(throws: AppsError.alone("KITH_ANDROID_FINGERPRINTS", missing: "KITH_ANDROID_PACKAGE")) {
            _ = try AssociationFiles(config)
        }
    }
}
