import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links

/// Links may stand at no path that Kith answers itself: the table of routes says which these are.
@Suite(.inTurns) struct OwnPathsTests {
    private static let host = "https://join.example.com"

    private func mistakes(_ domain: String) async -> [String] {
        await App.mistakes(in: ["KITH_LINK_URL": Self.host, "KITH_LINK_DOMAINS": domain])
            .filter { $0.hasPrefix("KITH_LINK_DOMAINS") }
    }

    private func mistakes(inFile domain: String) -> [String] {
        let yaml = "apps: {a: {hosts: [https://a.example.com], linkDomains: ['\(domain)']}}"
        do {
            _ = try AppsFile(yaml: yaml, folder: URL(filePath: "/"), config: Config())
            return []
        } catch {
            return (error as? ConfigError)?.mistakes ?? ["\(error)"]
        }
    }

    @Test func `the table of routes says which paths are Kith's own`() async throws {
        let own = try App.ownSegments.get()
        try await TestApp.run(isForDevelopment: true) { app in
            for (router, segments) in [
                (app.app.router(), own.all), (app.app.router(ofDeepLinks: []), own.ofLinkHosts),
            ] {
                let paths = router.routes.map(\.path.description)
                let found = paths.compactMap { $0.split(separator: "/").first.map(String.init) }
                    .filter { !$0.contains("{") }
                #expect(segments == Set(found))
            }
        }
        #expect(own.all.isSuperset(of: ["users", "v1", "fdl", "hooks", "links", "dev", "icon.png"]))
        #expect(own.ofLinkHosts == [".well-known", "apple-app-site-association", "icon.png", "robots.txt"])
    }

    @Test func `no domain of links begins with a segment of the table`() async throws {
        let own = try App.ownSegments.get()
        for (host, inFile, segments) in [
            (Self.host, "https://a.example.com", own.all),
            ("https://go.example.com", "https://go.example.com", own.ofLinkHosts),
        ] {
            for segment in segments {
                for path in [segment, "\(segment)/", "\(segment)/l"] {
                    #expect(await mistakes("\(host)/\(path)").count == 1, "\(host)/\(path)")
                    #expect(mistakes(inFile: "\(inFile)/\(path)").count == 1, "\(inFile)/\(path)")
                }
            }
        }
        for path in ["l", "usersx", "v1x", "l/users"] {
            #expect(await mistakes("\(Self.host)/\(path)") == [], "\(path)")
            #expect(mistakes(inFile: "https://a.example.com/\(path)") == [], "\(path)")
        }
        for path in ["links", "users", "v1"] {
            #expect(await mistakes("https://go.example.com/\(path)") == [], "\(path)")
        }
        #expect(await mistakes("http://join.example.com").count == 1, "its codes would be those of invites")
    }

    @Test func `an app that stands at such a path in the database is refused, and all others go on`()
        async throws
    {
        let own = try App.ownSegments.get()
        let paths = own.all.sorted().map { ("a", $0) } + own.ofLinkHosts.sorted().map { ("b", $0) }
        try await TestApp.run { app in
            var apps = AppliedApps()
            apps.apps["good"] = AppliedApp(
                hosts: ["https://good.example.com"],
                fields: ["name": "Good", "linkDomains": "https://go.good.example.com/v1"])
            for (place, (kind, segment)) in paths.enumerated() {
                let host = "\(kind)\(place).example.com"
                let domain = kind == "a" ? host : "go.\(host)"
                apps.apps["\(kind)\(place)"] = AppliedApp(
                    hosts: ["https://\(host)"], fields: ["linkDomains": "https://\(domain)/\(segment)"])
            }
            #expect(try await AppliedStore(db: app.db).write(apps, over: 0))
            let failed = try await app.hosts.follow()
            #expect(Set(failed.keys) == Set(apps.apps.keys).subtracting(["good"]))
            #expect(failed.values.allSatisfy { "\($0)".contains(".linkDomains: 'https://") })
            #expect(try await app.hosts.follow().isEmpty, "each version is told once")
            for (host, status) in [
                ("join.example.com", 200), ("good.example.com", 200), ("a0.example.com", 503),
            ] {
                #expect(
                    try await app.get("/v1/config", headers: [.testHost: host]).status == status, "\(host)")
            }
            // It has no API, so its errors are pages.
            let dead = try await app.get(
                "/v1/x", headers: [.testHost: "go.good.example.com", .accept: "text/html"])
            #expect(
                dead.status == 404 && dead.headers[.contentType]?.hasPrefix("text/html") == true,
                "\(dead.text)")
        }
    }

    @Test func `a path of dots, which browsers resolve, is no domain`() {
        for path in ["..", ".", "l/..", "l/./x"] {
            #expect(LinkDomain("https://go.example.com/\(path)") == nil)
        }
    }

    @Test func `the files of a host are left to the browser, and no code is called so`() throws {
        for file in HostFile.allCases {
            let rules = OpenedPaths.rules(
                [LinkDomain(origin: "https://go.example.com", prefix: "")], besideInvites: false)
            #expect(rules.first { $0.pattern.matches("/\(file.rawValue)") }?.opens == false, "\(file)")
        }
        let domain = LinkDomain(origin: "https://go.example.com", prefix: "")
        let code = try #require(ShortLink.Code("apple-app-site-association"))
        #expect(![domain].opens(code, in: domain))
    }

    @Test
    func
        `an app that does not fit beside the settings of a server is refused there, and nothing of theirs ends`()
        async throws
    {
        try await TestApp.run(configure: TestApp.withLinks) { app in
            var apps = AppliedApps()
            apps.apps["takes"] = AppliedApp(hosts: ["https://go.example.com"], fields: [:])
            apps.apps["lies"] = AppliedApp(
                hosts: ["https://lies.example.com"], fields: ["linkDomains": "\(TestApp.origin)/go"])
            apps.apps["good"] = AppliedApp(hosts: ["https://good.example.com"], fields: [:])
            #expect(try await AppliedStore(db: app.db).write(apps, over: 0))
            let failed = try await app.hosts.follow()
            #expect(Set(failed.keys) == ["takes", "lies"])
            #expect(
                "\(failed["takes"] ?? ConfigError(mistakes: []))".hasPrefix(
                    "apps.takes.hosts: 'https://go.example.com' has the links"))
            for (host, path, status) in [
                ("go.example.com", "/nobody", 404), ("lies.example.com", "/", 503),
                ("good.example.com", "/v1/config", 200),
            ] {
                #expect(
                    try await app.get(path, headers: [.testHost: host]).status == status, "\(host)")
            }
        }
    }
}
