import Foundation
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Web

/// No redirect leads off the list of places: the link host, and the stores of the settings.
@Suite(.inTurns) struct LocationTests {
    private let places = AllowedPlaces(
        appStore: "https://apps.apple.com/app/id6448311069",
        playStore: "https://play.google.com/store/apps/details?id=com.example.app")
    /// A uid that wants to be a host.
    private static let odd = "https://evil.example/\\@//?#x"

    private static func straight(_ config: inout Config) {
        TestApp.withStores(&config)
        (config.app.storeFirst, config.app.scheme) = (true, "sample")
    }

    /// Users to redirect to: Ann, who was renamed, and one with the odd uid. Returns hostile paths and good
    /// values.
    private func prepare(_ app: TestApp) async throws -> (paths: [String], values: [String]) {
        try await app.signUp("ann")
        try await app.rename("u-ann", to: "anna")
        try await app.signUp("odd", uid: Self.odd)
        try await app.rename(Self.odd, to: "odder")
        let code = try #require(try await app.get("/v1/me/invite", as: "u-ann")["code"])
        let odd = PercentEncoding.encode(Self.odd)
        return (
            HostileURL.paths(code: code, weird: odd),
            ["u-ann", "u-ann", "u-ann", odd, odd, code, Self.odd, "nobody"]
        )
    }

    @Test func `100,000 hostile requests lead nowhere else, by the functions that write redirects`() throws {
        let ann = User.Profile(uid: "u-ann", username: "anna", displayName: nil)
        let odd = User.Profile(uid: User.UID(stored: Self.odd), username: "Odd_er", displayName: nil)
        let links = InviteLinks(origin: TestApp.origin, appScheme: "sample")
        let code = try #require(Invite.Code("8cpn3ykm3d4s4dtn"))
        let (paths, values) = (HostileURL.paths(code: "\(code)", weird: "x"), ["u-ann", Self.odd, "\(code)"])
        var random = SeededGenerator()
        for _ in 0..<100_000 {
            let url = HostileURL(&random, paths: paths, values: values)
            // What the server refuses before it looks for a route.
            guard url.target.utf8.allSatisfy(\.isVisibleASCII) else { continue }
            let query = Query(
                url.target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init))
            let user = Bool.random(using: &random) ? ann : odd
            let custom = links.custom(code, of: user, keeping: query)
            for location in [links.renamed(user, query), custom, links.below(custom, "play-store")] {
                if let refusal = places.refusal(of: location) {
                    Issue.record("\(url): '\(location)' \(refusal)")
                }
            }
        }
    }

    @Test func `thousands of hostile requests are sent nowhere else`() async throws {
        try await TestApp.run(configure: Self.straight) { app in
            let (paths, values) = try await prepare(app)
            let redirects = await withTaskGroup(of: Int.self) { group in
                for number in 1...20 {
                    group.addTask {
                        var random = SeededGenerator(number)
                        var redirects = 0
                        for _ in 0..<600 {
                            let url = HostileURL(&random, paths: paths, values: values)
                            if await judge(url, app) { redirects += 1 }
                        }
                        return redirects
                    }
                }
                return await group.reduce(0, +)
            }
            #expect(redirects > 1000, "most would be errors")
        }
    }

    @Test func `neither does a Host header, nor whatever stands on the wire`() async throws {
        try await TestApp.run(configure: Self.straight, .live) { app in
            let (paths, values) = try await prepare(app)
            let port = try #require(app.client.port)
            var (random, redirects) = (SeededGenerator(1000), 0)
            let hosts =
                HostileURL.tricks.filter { $0.utf8.allSatisfy { $0 >= 32 } } + [
                    "evil.example", "join.example.com",
                ]
            for number in 0..<400 {
                let url = HostileURL(&random, paths: paths, values: values)
                let connection = try RawConnection(to: UInt16(port))
                let agent = number.isMultiple(of: 2) ? HTTPFields.iPhone[.userAgent] ?? "" : ""
                await connection.say(
                    Array(
                        """
                        GET \(url.target) HTTP/1.1\r\nHost: \(hosts[number % hosts.count])\r\nUser-Agent: \(agent)\r\n\
                        X-Forwarded-Host: evil.example\r\nConnection: close\r\n\r\n
                        """.utf8))
                let answer = await connection.rest()
                let locations = answer.matches(of: /\r\nlocation: *([^\r\n]*)/.ignoresCase()).map {
                    String($0.1)
                }
                redirects += locations.count
                #expect(locations.count == (answer.contains(/^HTTP\/1.1 302/) ? 1 : 0), "\(url): \(answer)")
                for location in locations {
                    if let refusal = places.refusal(of: location) {
                        Issue.record("\(url): '\(location)' \(refusal)")
                    }
                }
            }
            #expect(redirects > 20)
        }
    }

    /// Whether it was a redirect.
    private func judge(_ url: HostileURL, _ app: TestApp) async -> Bool {
        guard let answer = try? await app.get(url.target, headers: url.headers) else { return false }
        #expect(answer.status < 500, "\(url)")
        guard let location = answer.headers[.location] else {
            #expect(answer.status / 100 != 3 || answer.status == 304, "\(url)")
            return false
        }
        if let refusal = places.refusal(of: location) { Issue.record("\(url): '\(location)' \(refusal)") }
        return true
    }
}
