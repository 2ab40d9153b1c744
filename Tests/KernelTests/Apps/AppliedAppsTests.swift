import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web

/// Several apps and stages on one server, each at its hosts.
@Suite(.inTurns) struct AppliedAppsTests {
    private static let file = """
        apps:
          production:
            hosts: [https://links.example.com, https://old.example.com]
            name: Sample
            scheme: sample
            ios: {teamId: ABCDE12345, bundleId: com.sample, otherApps: [ABCDE12345.com.sample.ipad], appClips: [ABCDE12345.com.sample.Clip], storeId: 1}
            android: {package: com.sample, fingerprints: [\(key)], otherApps: [com.sample.debug=\(key)]}
          staging:
            hosts: [https://staging.example.com]
            name: Sample Staging
            scheme: sample-staging
            ios: {teamId: ABCDE12345, bundleId: com.sample.staging, storeId: 2}
            android: {package: com.sample.staging}
        """
    private static let links: HTTPFields = [.testHost: "links.example.com"]
    private static let key = Array(repeating: "AB", count: 32).joined(separator: ":")

    private func withApps(_ test: @Sendable (TestApp) async throws -> Void) async throws {
        try await TestApp.run(configure: TestApp.withStores) { app in
            try await app.apply(Self.file)
            try await app.signUp("ann")
            try await test(app)
        }
    }

    @Test(arguments: [
        ("join.example.com", "Kith"), ("links.example.com", "Sample"), ("old.example.com", "Sample"),
        ("LINKS.Example.com:443", "Sample"), ("links.example.com.", "Sample"),
        ("links.example.com.:443", "Sample"),
        ("staging.example.com", "Sample Staging"), ("unknown.example", "Kith"), ("", "Kith"),
        ("links.example.com@evil.example", "Kith"), ("staging.example.com:8443", "Kith"),
    ])
    func `the host of a request picks the app`(host: String, name: String) async throws {
        try await withApps { app in
            let headers: HTTPFields = [.testHost: host]
            let page = try await app.get("/users/ann?invitedBy=u-ann", headers: headers)
            #expect(page.text.contains("<title>ann invites you to \(name)</title>"), "\(page.text)")
            #expect(try await app.get("/v1/config", headers: headers)["app.name"] == name)
            let invite = try await app.get("/v1/me/invite", as: "u-ann", headers: headers)
            let origin = ["Kith": TestApp.origin, "Sample": "https://links.example.com"][name]
            #expect(invite["url"]?.hasPrefix("\(origin ?? "https://staging.example.com")/users/ann?") == true)
        }
    }

    @Test func `association files name the apps of the host`() async throws {
        try await withApps { app in
            func ids(_ host: String) async throws -> [[String]] {
                let headers: HTTPFields = [.testHost: host]
                let apple = try await app.get("/.well-known/apple-app-site-association", headers: headers)
                let google = try await app.get("/.well-known/assetlinks.json", headers: headers)
                let details = (apple.json["applinks"] as? [String: Any])?["details"] as? [[String: Any]]
                let clips = (apple.json["appclips"] as? [String: [String]])?["apps"]
                let list = try? JSONSerialization.jsonObject(with: Data(google.bytes)) as? [[String: Any]]
                return [
                    (details ?? []).compactMap { $0["appID"] as? String }, clips ?? [],
                    (list ?? []).compactMap { ($0["target"] as? [String: Any])?["package_name"] as? String },
                ]
            }
            let links = try await ids("links.example.com")
            #expect(
                links == [
                    ["ABCDE12345.com.sample", "ABCDE12345.com.sample.ipad"], ["ABCDE12345.com.sample.Clip"],
                    ["com.sample", "com.sample.debug"],
                ])
            let staging = try await ids("staging.example.com")
            #expect(staging == [["ABCDE12345.com.sample.staging"], [], []])
            let own = try await ids("join.example.com")
            #expect(own == [["ABCDE12345.com.example.app"], [], []])
        }
    }

    @Test func `links of every host lead to the same people`() async throws {
        try await withApps { app in
            for link in [
                "https://links.example.com/users/ann?invitedBy=u-ann",
                "https://old.example.com/users/ann?invitedBy=u-ann",
                "https://staging.example.com/users/ann?invitedBy=u-ann",
                "sample-staging://users/ann?invitedBy=u-ann",
                "\(TestApp.origin)/users/ann?invitedBy=u-ann",
            ] {
                for host in ["staging.example.com", "links.example.com", "join.example.com"] {
                    let answer = try await app.post(
                        "/v1/invites/resolve", as: "u-bob", headers: [.testHost: host], ["url": "\(link)"])
                    #expect(answer["inviter.uid"] == "u-ann", "\(link) at \(host): \(answer.text)")
                }
            }
            let evil: Body = ["url": "https://evil.example/users/ann?invitedBy=u-ann"]
            #expect(try await app.post("/v1/invites/resolve", as: "u-bob", evil).status == 404)
        }
    }

    @Test func `a claim never crosses apps or stages`() async throws {
        try await withApps { app in
            let link = "/users/ann/play-store?invitedBy=u-ann"
            var headers = HTTPFields.android
            headers[.testHost] = "staging.example.com"
            for other in ["com.sample", "com.sample.debug", "com.example.app"] {
                let tap = try await app.tap(link, headers: headers)
                let body = ["platform": "android", "referrer": tap]
                #expect(try await app.claim(body, app: other).code == "claim_not_found", "\(other)")
                #expect(try await app.claim(body).code == "claim_not_found", "the host's app is another")
                #expect(try await app.claim(body, app: "com.sample.staging").status == 200)
            }
            for (host, other, own) in [
                ("links.example.com", "com.sample.staging", "com.sample.ipad"),
                ("staging.example.com", "com.sample", "com.sample.staging"),
            ] {
                let pasted = ["platform": "ios", "pasteboard": "https://\(host)/users/ann?invitedBy=u-ann"]
                #expect(try await app.claim(pasted, app: other).code == "claim_not_found")
                #expect(try await app.claim(pasted, app: own).status == 200)
            }
        }
    }

    @Test func `a server follows what is applied, and what is taken back`() async throws {
        try await withApps { app in
            try await app.apply("apps: {}")
            #expect(try await app.get("/v1/config", headers: Self.links)["app.name"] == "Kith")
            try await app.apply("apps: {x: {hosts: [https://links.example.com], name: X}}")
            #expect(try await app.get("/v1/config", headers: Self.links)["app.name"] == "X")
        }
    }

    @Test func `a server goes on with what it serves if the next cannot be read`() async throws {
        try await withApps { app in
            try await app.db.write.run("UPDATE applied_files SET content = '[]', version = version + 1")
            await #expect(throws: (any Error).self) { try await app.hosts.follow() }
            #expect(try await app.get("/v1/config", headers: Self.links)["app.name"] == "Sample")
        }
    }

    @Test func `an app that this server cannot make is what it was, or refused, and never another`()
        async throws
    {
        try await withApps { app in
            let wrong = AppliedApp(hosts: ["https://links.example.com"], fields: ["scheme": "javascript"])
            let new = AppliedApp(hosts: ["https://new.example.com"], fields: ["language": "xx"])
            let store = AppliedStore(db: app.db)
            let applied = try #require(try await store.read())
            var apps = applied.content
            (apps.apps["production"], apps.apps["new"]) = (wrong, new)
            #expect(try await store.write(apps, over: applied.version))
            #expect(try await Set(app.hosts.follow().keys) == ["production", "new"])
            #expect(try await app.get("/v1/config", headers: Self.links)["app.name"] == "Sample")
            let refused = try await app.get("/v1/config", headers: [.testHost: "new.example.com"])
            #expect(refused.status == 503 && refused.headers[.retryAfter] == "60")
            #expect(refused.code == "unavailable" && refused.headers[.xContentTypeOptions] == "nosniff")
            #expect(refused["requestId"] != nil && refused["requestId"] == refused.headers[.xRequestID])
            let staging: HTTPFields = [.testHost: "staging.example.com"]
            #expect(try await app.get("/v1/config", headers: staging)["app.name"] == "Sample Staging")
        }
    }

    @Test func `an app of the file is not the app of the settings, even with its package`() async throws {
        try await withApps { app in
            for name in ["a", "b", "c", "d", "e"] {
                try await app.apply(
                    """
                    apps: {x: {hosts: [https://links.example.com], name: \(name), android: {package: com.example.app}}}
                    """)
                var headers = HTTPFields.android
                headers[.testHost] = "links.example.com"
                let tap = try await app.tap("/users/ann/play-store?invitedBy=u-ann", headers: headers)
                let body = ["platform": "android", "referrer": tap]
                #expect(try await app.claim(body, of: name, app: "com.example.app").status == 200)
            }
        }
    }

    @Test func `of operators who apply at once one wins, and the others are told`() async throws {
        try await withApps { app in
            let store = AppliedStore(db: app.db)
            let version = try #require(try await store.read()).version
            let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let apps = AppliedApps(apps: [
                            "a\(number)": AppliedApp(hosts: ["https://a.example"], fields: [:])
                        ])
                        return try await store.write(apps, over: version)
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(wins == 1)
            #expect(try await store.read()?.version == version + 1)
        }
    }

    @Test func `kith apply shows what changes, and then changes it`() async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-apps-\(UUID()).yaml")
        try Self.file.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        func kith(_ arguments: String...) async throws -> KithCommand.Outcome {
            try await KithCommand(arguments, ["KITH_DATABASE_URL": url]).run()
        }
        let dry = try await kith("apply", file.path, "--dry-run")
        #expect(dry.status == 0 && dry.output.contains("+ apps.staging.name: Sample Staging\n"), "\(dry)")
        #expect(try await kith("config", "show").output == "# revision 0\napps: {}\n\n")
        let done = try await kith("apply", file.path)
        #expect(
            done.status == 0 && done.output.hasSuffix("published as 1: servers follow within 5 seconds\n"),
            "\(done)"
        )
        #expect(try await kith("apply", file.path).output == "nothing changes\n")
        #expect(try await kith("config", "show").output.contains("  staging:\n"))
        try "apps: {a: {}}".write(to: file, atomically: true, encoding: .utf8)
        let wrong = try await kith("apply", file.path)
        #expect(
            wrong.status == 1 && wrong.error.hasPrefix("kith: line 1: apps.a.hosts is missing"), "\(wrong)")
        #expect(try await kith("apply", "/nowhere.yaml").status == 1)
        let two =
            "a: {hosts: [https://a.example], url: https://x.example}, b: {hosts: [https://b.example], scheme: b}"
        try "apps: {\(two)}".write(to: file, atomically: true, encoding: .utf8)
        let bare = try await kith("apply", file.path, "--dry-run")
        let warnings = (dry.output + bare.output).split(separator: "\n").filter { $0.hasPrefix("warning: ") }
        #expect(
            warnings == [
                "warning: apps.a: has no ios.storeId, android.package or scheme, so the page of an invite has no button"
            ], "\(bare)")
    }
}
