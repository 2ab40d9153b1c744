import Testing

@testable import Kith

/// What a `User-Agent` tells, and what follows from it.
@Suite struct DeviceTests {
    private static func app(_ change: (inout AppConfig) -> Void = { _ in }) throws -> AppListing {
        try AppListing(
            AppConfig {
                ($0.scheme, $0.appStoreID, $0.androidPackage) = ("sample", "42", "com.example.app")
                ($0.minimumIOS, $0.minimumAndroid) = (SystemVersion(16), SystemVersion(8))
                $0.storeFirst = true
                change(&$0)
            })
    }

    @Test(arguments: KnownAgent.all)
    func `a known browser is the device that it is, and gets what that gets`(known: KnownAgent) throws {
        let (agent, app) = (UserAgent(known.text), try Self.app())
        let device = app.device(of: agent)
        #expect(device == known.device)
        #expect(agent.isProgram == known.isFetcher)
        let way = device.leaving(for: "https://join.example.com/users/hana")
        #expect(way?.prefix { $0 != "/" } == known.way.map { $0[...] })
        let answer = LandingAnswer(
            to: LandingVisit(device: device, isInvite: true, opensApp: true), app)
        #expect(answer.row == known.row)
        #expect(answer.isRedirect == [4, 5].contains(known.row))
        #expect(answer.offers.contains(.browser) == (way != nil && known.row != 1))
    }

    @Test func `the version is read only for a system with a minimum`() throws {
        let app = try Self.app { ($0.minimumIOS, $0.minimumAndroid) = (nil, nil) }
        for known in KnownAgent.all { #expect(app.device(of: UserAgent(known.text)).version == nil) }
    }

    @Test(arguments: [
        "iPhone OS ", "iPhone OS x", "iPhone OS 99999999999999999999_1", "iPhone OS 1_", "iPhone OS _1",
        "iPhone OS \u{FFFF}", "Android ", "Android 99999999999999999999.99999999999999", "Android .",
        String(repeating: "Android ", count: 1000), String(repeating: "iPhone OS 1", count: 1000),
        "iPhone\0OS 1",
        String(repeating: "x", count: 100_000) + "iPhone",
    ])
    func `nobody breaks it`(agent: String) throws {
        _ = try Self.app().device(of: UserAgent(agent))
    }
}
