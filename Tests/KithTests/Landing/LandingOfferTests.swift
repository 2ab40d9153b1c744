import Testing

@testable import Kith

/// The table "What a page offers" in docs/rules.md: a test for each row.
@Suite struct LandingOfferTests {
    private let url = "https://join.example.com/users/hana?invitedBy=u-1"
    private let inApp = "sample://users/hana?invitedBy=u-1"

    private func app(_ change: (inout AppConfig) -> Void = { _ in }) throws -> AppListing {
        try AppListing(
            AppConfig {
                ($0.scheme, $0.appStoreID, $0.androidPackage) = ("sample", "42", "com.example.app")
                change(&$0)
            })
    }

    private func offers(_ device: Device, _ app: AppListing) -> [LandingOffer] {
        LandingOffer.all(
            for: device, app, opensApp: app.urlScheme != nil, hasWayOut: device.leaving(for: url) != nil)
    }

    @Test func `row 1: an iPhone gets the App Store first, then the app`() throws {
        #expect(try offers(Device(system: .iOS), app()) == [.appStore, .app])
        #expect(try offers(Device(system: .iOS), app { $0.appStoreID = nil }) == [.app])
        #expect(try offers(Device(system: .iOS), app { $0.scheme = nil }) == [.appStore])
    }

    @Test func `row 2: one tap on Android opens the app, or else Google Play`() throws {
        #expect(try offers(Device(system: .android), app()) == [.appOrPlayStore, .playStore])
        #expect(
            try app().intent(inApp, else: app().playStoreURL)
                == "intent://users/hana?invitedBy=u-1#Intent;scheme=sample;package=com.example.app;S.browser_fallback_url=https%3A%2F%2Fplay.google.com%2Fstore%2Fapps%2Fdetails%3Fid%3Dcom.example.app;end"
        )
        #expect(
            try offers(
                Device(system: .android),
                app {
                    $0.androidPackage = nil
                    $0.playStoreURL = "https://play.example"
                }) == [.playStore, .app])
    }

    @Test func `row 3: all else gets the app and both stores`() throws {
        #expect(try offers(.unknown, app()) == [.app, .appStore, .playStore])
        #expect(try offers(.unknown, AppListing(AppConfig())) == [])
    }

    @Test(arguments: Device.System.allCases)
    func `row 4: the browser of another app gets the way out of it, if there is one`(system: Device.System)
        throws
    {
        for browser in Device.InAppBrowser.allCases {
            let device = Device(system: system, inAppBrowser: browser)
            let offers = try offers(device, app())
            #expect(offers.contains(.browser) == (device.leaving(for: url) != nil))
            #expect(offers.first != .browser)
        }
    }

    @Test(
        arguments: [
            (.iOS, nil, nil), (.android, nil, nil),
            (.iOS, .line, "https://join.example.com/users/hana?invitedBy=u-1&openExternalBrowser=1"),
            (.android, .line, "https://join.example.com/users/hana?invitedBy=u-1&openExternalBrowser=1"),
            (
                .iOS, .kakaoTalk,
                "kakaotalk://web/openExternal?url=https%3A%2F%2Fjoin.example.com%2Fusers%2Fhana%3FinvitedBy%3Du-1"
            ),
            (
                .iOS, .instagram,
                "instagram://extbrowser/?url=https%3A%2F%2Fjoin.example.com%2Fusers%2Fhana%3FinvitedBy%3Du-1"
            ),
            (
                .android, .instagram,
                "intent://join.example.com/users/hana?invitedBy=u-1#Intent;scheme=https;end"
            ),
            (
                .android, .another,
                "intent://join.example.com/users/hana?invitedBy=u-1#Intent;scheme=https;end"
            ),
            (.iOS, .another, nil),
        ] as [(Device.System, Device.InAppBrowser?, String?)])
    func `each browser inside an app has its own way out`(
        system: Device.System, browser: Device.InAppBrowser?, way: String?
    ) {
        #expect(Device(system: system, inAppBrowser: browser).leaving(for: url) == way)
    }

    @Test func `row 5: a page that leads to nobody offers the operator's page and the stores`() throws {
        let app = try app { $0.homeURL = "https://sample.example" }
        #expect(LandingOffer.ways(on: Device(system: .iOS), app) == [.home, .appStore])
        #expect(LandingOffer.ways(on: Device(system: .android), app) == [.home, .playStore])
        #expect(LandingOffer.ways(on: .unknown, app) == [.home, .appStore, .playStore])
    }
}
