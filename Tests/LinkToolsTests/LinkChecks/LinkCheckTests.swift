import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import AppTesting
@testable import LinkTools

@Suite(.inTurns) struct LinkCheckTests {
    @Test func `Kith's own host is sound, and opens the app for what it can show`() async throws {
        let database = try await TestPostgres.shared.migratedDatabase()
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": database, "KITH_LINK_URL": "", "KITH_IOS_TEAM_ID": "ABCDE12345",
            "KITH_IOS_BUNDLE_ID": "com.example.app", "KITH_ANDROID_PACKAGE": "com.example.app",
            "KITH_ANDROID_FINGERPRINTS": LinkReport.key,
        ])
        _ = try await server.call("POST", "/v1/signup", as: "u-ann", body: ["username": "ann"])
        let outcome = try await KithCommand([
            "check-links", server.origin, "--url", "/users/ann", "--url", "\(server.origin)/7h2k9m4pqr5t8vwx",
            "--url", "/users/ann/card.jpg", "--url", "/v1/me", "--ios-app", "ABCDE12345.com.example.app",
            "--android-app", "com.example.app=\(LinkReport.key)",
        ]).run()
        let text = outcome.output
        #expect(outcome.status == 0 && text.contains("\n0 errors, 0 warnings, "), "\(text)")
        #expect(text.contains("/users/ann shows a page of the same host"), "\(text)")
        let tests = text.split(separator: "\n").filter { $0.contains(": opens the ") }
        #expect(
            tests.map { $0.contains("opens the app") } == [
                true, true, true, true, true, true, false, false, false, false, false, false,
            ],
            "\(tests)")
        let other = try await KithCommand([
            "check-links", server.origin, "--json", "--ios-app", "ABCDE12345.com.example.other",
        ]).run()
        #expect(other.status == 1 && other.error.contains("1 error, 0 warnings, "))
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(other.output.utf8)) as? [String: Any],
            "\(other.output)")
        let findings = try #require(json["findings"] as? [[String: Any]])
        #expect(findings.first?["name"] as? String == "expected-ios-app" && json["errors"] as? Int == 1)
        server.process.terminate()
        _ = await server.exit()
    }

    @Test func `redirects, types and pages of a host are seen`() async throws {
        let router = Router()
        router.get(".well-known/apple-app-site-association") { _, _ in
            Response.redirect(to: "https://www.example.com/apple-app-site-association", type: .permanent)
        }
        router.get(".well-known/assetlinks.json") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/plain", .cacheControl: "max-age=2592000"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: LinkReport.soundAndroid)))
        }
        router.get("robots.txt") { _, _ in "User-agent: *\nDisallow: /\n" }
        let server = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
        try await server.test(.live) { client in
            let port = try #require(client.port)
            for target in ["127.0.0.1:\(port)", "http://localhost:\(port)/"] {
                let report = try await LinkCheck(target).run()
                #expect(
                    Set(report.findings.map(\.fault.name)) == [
                        "loopback", "redirect", "media-type-android", "cache", "robots",
                    ], "\(report.lines)")
            }
        }
    }

    @Test func `a folder is read without a network`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-links-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ name: String, _ text: String) throws {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        func faults() async throws -> [String] {
            try await LinkCheck(folder.path).run().findings.map(\.fault.name)
        }
        try write("apple-app-site-association", LinkReport.soundApple)
        #expect(try await faults() == ["absent"])
        try write("assetlinks.json", LinkReport.soundAndroid)
        #expect(try await faults() == [])
        try write(".well-known/assetlinks.json", LinkReport.soundAndroid)
        #expect(try await faults() == ["only-root"])
        try write(".well-known/apple-app-site-association.json", LinkReport.soundApple)
        #expect(try await faults() == ["wrong-name", "only-root"])
        try write(".well-known/apple-app-site-association", LinkReport.soundApple + "\n")
        #expect(try await faults() == ["root-differs"])
        try write("robots.txt", "User-agent: *\nDisallow: /.well-known/")
        #expect(try await faults() == ["robots", "root-differs", "robots"])
        let outcome = try await KithCommand(["check-links", folder.path, "--url", "/users/ann"]).run()
        #expect(outcome.status == 0 && outcome.output.contains("opens the app, by components[1]"))
    }

    @Test func `a server that cannot be reached is asked once`() async throws {
        let start = ContinuousClock.now
        let report = try await LinkCheck(
            "http://127.0.0.1:1", urls: ["/users/ann"], iosApps: ["ABCDE12345.com.example.app"]
        ).run()
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(report.findings.map(\.fault.name) == ["unreachable", "loopback"])
        #expect(!report.lines.contains { $0.contains("/users/ann") })
        #expect(
            report.lines.contains { $0.contains("it refuses connections at this port; start the server") })
    }

    @Test(arguments: [
        ["nowhere/x"], ["ftp://a.example"], ["a b"], [""], ["u@a.example"], ["a.example:x"],
        ["Package.swift"],
        ["a.example", "--url", "x"], ["a.example", "--ios-app", "com.example.app"],
        ["a.example", "--android-app", "com.example.app"], ["a.example", "--android-app", "a.b=14:6D"],
    ])
    func `wrong usage is told as such`(arguments: [String]) async throws {
        let outcome = try await KithCommand(["check-links"] + arguments).run()
        #expect(outcome.status == 2 && outcome.output.isEmpty, "\(outcome.error)")
    }
}
