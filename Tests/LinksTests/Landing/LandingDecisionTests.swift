import Testing

@testable import AppTesting
@testable import Kernel
@testable import Links
@testable import Visits

/// The table "What a page offers" in docs/rules.md: a test for each row.
@Suite struct LandingDecisionTests {
    private let url = "https://join.example.com/users/hana?invitedBy=u-1"
    private let inApp = "sample://users/hana?invitedBy=u-1"

    private func app(_ change: (inout AppConfig) -> Void = { _ in }) throws -> AppListing {
        try AppListing(
            AppConfig {
                ($0.scheme, $0.appStoreID, $0.androidPackage) = ("sample", "42", "com.example.app")
                ($0.minimumIOS, $0.minimumAndroid) = (SystemVersion(16), SystemVersion(8))
                $0.homeURL = "https://sample.example"
                change(&$0)
            })
    }

    private func answer(
        _ device: Device, _ app: AppListing, _ change: (inout LandingVisit) -> Void = { _ in }
    ) -> LandingDecision {
        var visit = LandingVisit(device: device, isInvite: true, opensApp: app.urlScheme != nil)
        change(&visit)
        return LandingDecision(to: visit, app)
    }

    @Test func `row 1: a phone on whose system the app does not run gets no store, but that sentence`()
        throws
    {
        for isStoreFirst in [false, true] {
            let app = try app { $0.storeFirst = isStoreFirst }
            for browser in [nil] + Device.InAppBrowser.allCases {
                let old = Device(system: .iOS, inAppBrowser: browser, version: SystemVersion(15, 8))
                #expect(answer(old, app) == LandingDecision(row: 1, offers: [.home], needs: "iOS 16"))
                let older = Device(system: .android, inAppBrowser: browser, version: SystemVersion(7, 1))
                #expect(answer(older, app) == LandingDecision(row: 1, offers: [.home], needs: "Android 8"))
            }
        }
        let homeless = try app { ($0.homeURL, $0.minimumIOS) = (nil, SystemVersion(16, 4)) }
        let device = Device(system: .iOS, version: SystemVersion(16, 3))
        #expect(answer(device, homeless) == LandingDecision(row: 1, offers: [], needs: "iOS 16.4"))
    }

    @Test(arguments: [nil, SystemVersion(16), SystemVersion(16, 1), SystemVersion(26)])
    func `row 1: a system that is new enough, or unknown, is no reason`(version: SystemVersion?) throws {
        for system in Device.System.allCases {
            let answer = try answer(Device(system: system, version: version), app())
            #expect(answer.row >= 6 && answer.needs == nil)
        }
    }

    @Test func `row 2: in another app's browser on an iPhone a way out stands between store and app`() throws
    {
        for browser in Device.InAppBrowser.allCases {
            let device = Device(system: .iOS, inAppBrowser: browser)
            let wayOut: [LandingButton] = device.leaving(for: url) == nil ? [] : [.browser]
            for isStoreFirst in [false, true] {
                let app = try app { $0.storeFirst = isStoreFirst }
                #expect(answer(device, app) == LandingDecision(row: 2, offers: [.appStore] + wayOut + [.app]))
                let back = answer(device, app) { $0.hasLeft = true }
                #expect(back.offers == [.appStore, .app], "where it did not work, it is not offered again")
            }
        }
    }

    @Test func `row 3: on Android the store is first there, since some ignore what an intent falls back to`()
        throws
    {
        for browser in Device.InAppBrowser.allCases {
            let device = Device(system: .android, inAppBrowser: browser)
            let wayOut: [LandingButton] = browser == .weChat ? [] : [.browser]
            let app = try app { $0.storeFirst = true }
            #expect(
                answer(device, app)
                    == LandingDecision(row: 3, offers: [.playStore] + wayOut + [.appOrPlayStore]))
        }
    }

    @Test(arguments: [Device.System.iOS, .android])
    func
        `rows 4 and 5: straight to the store go only invites, phones with a store, and who did not just come`(
            system: Device.System
        ) throws
    {
        let store: LandingButton = system == .iOS ? .appStore : .playStore
        let (device, straight) = (Device(system: system), try app { $0.storeFirst = true })
        #expect(
            answer(device, straight)
                == LandingDecision(row: system == .iOS ? 4 : 5, offers: [store], isRedirect: true))
        let changes: [(inout LandingVisit) -> Void] = [
            { $0.isInvite = false }, { $0.hasLeft = true }, { $0.isUnopened = true },
            { $0.device = .unknown },
        ]
        for change in changes { #expect(!answer(device, straight, change).isRedirect) }
        let storeless = try app { ($0.storeFirst, $0.appStoreID, $0.androidPackage) = (true, nil, nil) }
        #expect(!answer(device, storeless).isRedirect)
        #expect(try !answer(device, app()).isRedirect)
    }

    @Test func `row 6: an iPhone gets the App Store first, then the app`() throws {
        #expect(
            try answer(Device(system: .iOS), app()) == LandingDecision(row: 6, offers: [.appStore, .app]))
        #expect(try answer(Device(system: .iOS), app { $0.appStoreID = nil }).offers == [.app])
        #expect(try answer(Device(system: .iOS), app { $0.scheme = nil }).offers == [.appStore])
    }

    @Test func `row 7: one tap on Android opens the app, or else Google Play`() throws {
        let android = Device(system: .android)
        #expect(
            try answer(android, app()) == LandingDecision(row: 7, offers: [.appOrPlayStore, .playStore]))
        #expect(
            try app().intent(inApp, else: app().playStoreURL)
                == "intent://users/hana?invitedBy=u-1#Intent;scheme=sample;package=com.example.app;S.browser_fallback_url=https%3A%2F%2Fplay.google.com%2Fstore%2Fapps%2Fdetails%3Fid%3Dcom.example.app;end"
        )
        let packageless = try app { ($0.androidPackage, $0.playStoreURL) = (nil, "https://play.example") }
        #expect(answer(android, packageless).offers == [.playStore, .app])
    }

    @Test func `row 8: all else gets both stores beside the code, and the app if computers have one`() throws
    {
        #expect(try answer(.unknown, app()) == LandingDecision(row: 8, offers: [.appStore, .playStore]))
        let desktop = try app { $0.hasDesktopApp = true }
        #expect(answer(.unknown, desktop) == LandingDecision(row: 8, offers: [.app, .appStore, .playStore]))
        #expect(answer(.unknown, desktop) { $0.opensApp = false }.offers == [.appStore, .playStore])
        #expect(try answer(.unknown, AppListing(AppConfig())).offers == [])
    }

    @Test func `row 9: a page that leads to nobody offers the operator's page and a store of use`() throws {
        let app = try app()
        func offers(_ system: Device.System, _ version: SystemVersion? = nil) -> [LandingButton] {
            LandingDecision(toNobodyOn: Device(system: system, version: version), app).offers
        }
        #expect(offers(.iOS) == [.home, .appStore])
        #expect(offers(.android) == [.home, .playStore])
        #expect(offers(.other) == [.home, .appStore, .playStore])
        #expect(offers(.iOS, SystemVersion(15)) == [.home] && offers(.android, SystemVersion(7)) == [.home])
    }

    @Test func `row 10: once the service has closed, only the operator's page about that is offered`() throws
    {
        let told = try app {
            ($0.sunset, $0.sunsetURL) = (Sunset("2027-03-31"), "https://sample.example/closing")
        }
        let untold = try app { $0.sunset = Sunset("2027-03-31") }
        for system in Device.System.allCases {
            let device = Device(system: system)
            #expect(
                LandingDecision(toNobodyOn: device, told, isClosed: true)
                    == LandingDecision(row: 10, offers: [.sunset]))
            #expect(LandingDecision(toNobodyOn: device, untold, isClosed: true).offers == [])
        }
    }

    @Test(
        arguments: [
            (.iOS, nil, nil), (.android, nil, nil), (.iOS, .another, nil), (.iOS, .weChat, nil),
            (.android, .weChat, nil),
            (.iOS, .line, "https://join.example.com/users/hana?invitedBy=u-1&openExternalBrowser=1"),
            (.android, .line, "https://join.example.com/users/hana?invitedBy=u-1&openExternalBrowser=1"),
            (
                .iOS, .kakaoTalk,
                "kakaotalk://web/openExternal?url=https%3A%2F%2Fjoin.example.com%2Fusers%2Fhana%3FinvitedBy%3Du-1%26openExternalBrowser%3D1"
            ),
            (
                .iOS, .instagram,
                "instagram://extbrowser/?url=https%3A%2F%2Fjoin.example.com%2Fusers%2Fhana%3FinvitedBy%3Du-1%26openExternalBrowser%3D1"
            ),
            (
                .iOS, .threads,
                "barcelona://extbrowser/?url=https%3A%2F%2Fjoin.example.com%2Fusers%2Fhana%3FinvitedBy%3Du-1%26openExternalBrowser%3D1"
            ),
            (
                .android, .instagram,
                "intent://join.example.com/users/hana?invitedBy=u-1&openExternalBrowser=1#Intent;scheme=https;end"
            ),
            (
                .android, .another,
                "intent://join.example.com/users/hana?invitedBy=u-1&openExternalBrowser=1#Intent;scheme=https;end"
            ),
        ] as [(Device.System, Device.InAppBrowser?, String?)])
    func `each browser inside an app has its own way out, which says so`(
        system: Device.System, browser: Device.InAppBrowser?, way: String?
    ) {
        let device = Device(system: system, inAppBrowser: browser)
        #expect(device.leaving(for: url) == way)
        #expect(device.hasWayOut == (way != nil))
    }
}
