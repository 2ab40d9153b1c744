import Foundation
import HTTPTypes
import HummingbirdTesting
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

/// `installAttribution` and `reopenAttribution`, as Firebase's SDK for iPhones calls them.
@Suite(.inTurns) struct FirebaseAttributionTests {
    private static let invite = "\(TestApp.origin)/users/ann?invitedBy=u-ann"

    /// What the SDK sends at the first start.
    private static func device(_ link: String? = nil, time: Int? = 1_700_000_000, asText: Bool = false)
        -> Body
    {
        func number(_ number: Int) -> any JSONValue { asText ? String(number) : number }
        let device: Body = [
            "screenResolutionHeight": number(844), "screenResolutionWidth": number(390),
            "languageCode": "ja-JP", "languageCodeRaw": "ja_JP", "languageCodeFromWebview": "ja",
            "timezone": "Asia/Tokyo", "deviceModelName": "iPhone14,5",
        ]
        return [
            "bundleId": "com.example.app", "iosVersion": "18.6.1", "sdkVersion": "11.15.0",
            "visualStyle": number(0), "retrievalMethod": asText ? "IMPLICIT_WEAK_MATCH" : 1,
            "appInstallationTime": time.map(number), "uniqueMatchLinkToCheck": link, "device": device,
        ]
    }

    private func short(_ app: TestApp, _ key: HTTPFields, _ link: String, _ code: String) async throws
        -> String
    {
        let parts: Body = [
            "domainUriPrefix": "https://go.example.com", "link": link,
            "iosInfo": [
                "iosBundleId": "com.example.app", "iosAppStoreId": "6448311069", "iosMinimumVersion": "1.2",
            ] as Body,
            "analyticsInfo": [
                "googlePlayAnalytics": [
                    "utmSource": "s", "utmMedium": "m", "utmCampaign": "c", "utmTerm": "t", "utmContent": "n",
                ]
            ] as Body,
        ]
        let made = try await app.firebase(
            "shortLinks", key,
            ["dynamicLinkInfo": parts, "suffix": ["option": "CUSTOM", "customSuffix": code]])
        return try #require(made["shortLink"], "\(made.text)")
    }

    private static let utm = [
        "utmSource": "s", "utmMedium": "m", "utmCampaign": "c", "utmTerm": "t", "utmContent": "n",
    ]

    @Test(arguments: [false, true])
    func `a link that the app has is unique, whatever stands as text`(asText: Bool) async throws {
        try await TestApp.runFirebase { app, key in
            try await app.signUp("ann")
            let client = try await app.keyed(.client)
            func ask(_ link: String) async throws -> TestApp.Answer {
                try await app.firebase("installAttribution", client, Self.device(link, asText: asText))
            }
            let short = try await short(app, key, TestApp.party, "party")
            let answer = try await ask(short)
            #expect(answer["deepLink"] == TestApp.party, "\(answer.text)")
            #expect(answer["attributionConfidence"] == "UNIQUE" && answer["matchMessage"] != nil)
            #expect(answer["requestedLink"] == short && answer["appMinimumVersion"] == "1.2")
            #expect(answer["fallbackLink"] == "https://apps.apple.com/app/id6448311069")
            for (name, value) in Self.utm { #expect(answer[name] == value) }
            let long = try #require(answer["resolvedLink"])
            #expect(
                long.hasPrefix("https://go.example.com/?link=https%3A%2F%2Fexample.com%2Fparty%3Fid%3D7&"))
            let again = try await ask("\(long)&cid=1&_osl=x&_icp=1")
            #expect(again["deepLink"] == TestApp.party && again["attributionConfidence"] == "UNIQUE")
            let invite = try await ask(Self.invite)
            #expect(invite["deepLink"] == Self.invite && invite["attributionConfidence"] == "UNIQUE")
            #expect(try await ask("\(short)?utm_id=5")["deepLink"] == "\(TestApp.party)&utm_id=5")
            #expect(try await ask("\(short)#there")["deepLink"] == "\(TestApp.party)#there")
            let reopened = try await app.firebase(
                "reopenAttribution", client, ["requestedLink": "\(short)?utm_source=x#there"])
            #expect(reopened["deepLink"] == "\(TestApp.party)&utm_source=x#there", "\(reopened.text)")
            #expect(reopened["utmSource"] == "x")
            _ = try await app.rename("u-ann", to: "anna")
            #expect(try await ask(Self.invite)["deepLink"]?.contains("/users/anna?") == true)
        }
    }

    @Test(arguments: [
        nil, "", "nonsense", "https://go.example.com/unknown", "https://go.example.com/", "myapp://x",
        "https://other.page.link/abc", "https://go.example.com/?link=https%3A%2F%2Fevil.example",
        "\(TestApp.origin)/users/nobody?invitedBy=u-nobody", "\(TestApp.origin)/other",
        "https://evil.example/users/?link=https%3A%2F%2Fjoin.example.com%2Fusers%2Fann%3FinvitedBy%3Du-ann",
        "https://evil.example/users/ann?invitedBy=u-ann",
    ])
    func `what leads nowhere is no match, and no error`(link: String?) async throws {
        try await TestApp.runFirebase(.client) { app, key in
            try await app.signUp("ann")
            let answer = try await app.firebase("installAttribution", key, Self.device(link))
            #expect(answer.status == 200 && answer["matchMessage"]?.isEmpty == false, "\(answer.text)")
            #expect(answer["deepLink"] == nil && answer["attributionConfidence"] == nil, "\(answer.text)")
        }
    }

    @Test func `a link longer than anybody can open is unknown, whatever it would lead to`() async throws {
        try await TestApp.runFirebase { app, key in
            try await app.signUp("ann")
            let short = try await short(app, key, TestApp.party, "party")
            for front in ["\(short)?", "\(TestApp.long(["link": TestApp.party]))&", "\(Self.invite)&"] {
                let most = front + String(repeating: "&", count: WebURL.longest - front.utf8.count)
                let open = try await app.firebase("reopenAttribution", key, ["requestedLink": most])
                #expect(open.status == 200, "\(open.text.prefix(300))")
                for long in ["\(most)&", front + String(repeating: "花", count: 2000)] {
                    let install = try await app.firebase("installAttribution", key, Self.device(long))
                    #expect(install.status == 200 && install["deepLink"] == nil, "\(front)")
                    for (call, field) in [
                        ("reopenAttribution", "requestedLink"), ("shortLinks", "longDynamicLink"),
                        ("managedShortLinks:create", "longDynamicLink"),
                    ] {
                        try await app.firebase(call, key, [field: long]).isFirebaseError(
                            400, "INVALID_ARGUMENT", "Long link is not parsable: \(front.prefix(30))")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (
            ["ibi": "com.example.app", "isi": "6448311069", "ifl": "https://example.com/i"],
            "https://example.com/i"
        ),
        (["ibi": "com.example.app", "isi": "6448311069"], "https://apps.apple.com/app/id6448311069"),
        (["ibi": "com.example.app"], TestApp.party), ([:], TestApp.party),
    ])
    func `without the app a phone goes to its fallback, then to the store, then to the target`(
        parameters: [String: String], fallback: String
    ) async throws {
        try await TestApp.runFirebase(.client) { app, key in
            let more = parameters.sorted { $0.key < $1.key }.map {
                "&\($0.key)=\(PercentEncoding.encode($0.value))"
            }
            let link = TestApp.long(["link": TestApp.party]) + more.joined()
            let answer = try await app.firebase("installAttribution", key, Self.device(link))
            #expect(answer["fallbackLink"] == fallback, "\(answer.text)")
        }
    }

    @Test func `an app that says nothing is no error`() async throws {
        try await TestApp.runFirebase(.client) { app, key in
            for body in ["{}", #"{"device":{}}"#, #"{"bundle_id":"com.other","device":{"language_code":5}}"#]
                as [Body]
            {
                let answer = try await app.firebase("installAttribution", key, body)
                #expect(answer.status == 200 && answer["deepLink"] == nil, "\(answer.text)")
            }
            try await app.firebase("installAttribution", key, ["device": "x"]).isFirebaseError(
                400, "INVALID_ARGUMENT", "`device` must be an object")
        }
    }

    @Test func `a link that opened the app is resolved, in either spelling`() async throws {
        try await TestApp.runFirebase { app, key in
            try await app.signUp("ann")
            let client = try await app.keyed(.client)
            let short = try await short(app, key, Self.invite, "ann")
            for body in [
                ["requestedLink": short, "bundle_id": "com.example.app", "sdk_version": "11.15.0"],
                ["requestedLink": short, "bundleId": "com.example.app", "sdkVersion": "11.15.0"],
                ["requested_link": short],
            ] as [Body] {
                let answer = try await app.firebase("reopenAttribution", client, body)
                #expect(answer["deepLink"] == Self.invite, "\(answer.text)")
                #expect(answer["resolvedLink"]?.hasPrefix("https://go.example.com/?link=") == true)
                #expect(answer["iosMinAppVersion"] == "1.2")
                for (name, value) in Self.utm { #expect(answer[name] == value) }
            }
            _ = try await app.rename("u-ann", to: "anna")
            let renamed = try await app.firebase("reopenAttribution", client, ["requestedLink": short])
            #expect(renamed["deepLink"] == "\(TestApp.origin)/users/anna?invitedBy=u-ann")
            let long = TestApp.long(["link": TestApp.party, "apn": "com.other"])
            let answer = try await app.firebase("reopenAttribution", client, ["requestedLink": long])
            #expect(answer["deepLink"] == TestApp.party && answer["resolvedLink"] == long)
            #expect(answer.warnings == ["NOT_IN_PROJECT_ANDROID_PACKAGE_NAME"], "\(answer.text)")
        }
    }

    @Test(arguments: [
        ("", 400, "`requestedLink` must be there"), ("nonsense", 400, "Long link is not parsable: nonsense"),
        ("https://go.example.com/unknown", 404, "Requested entity was not found."),
        ("https://go.example.com/", 404, "Requested entity was not found."),
        ("\(TestApp.origin)/users/nobody?invitedBy=u-nobody", 404, "Requested entity was not found."),
        ("https://x.page.link/abc", 400, "Your project does not own Dynamic Links domain: x.page.link"),
        (
            "https://go.example.com/?link=https%3A%2F%2Fevil.example", 400,
            "We could not match param 'https://evil.example' with whitelisted URL patterns"
        ),
        ("https://go.example.com/?link=x", 400, "Long link is not parsable: x"),
    ])
    func `a link that leads nowhere is an error that the app gets`(
        link: String, code: Int, message: String
    ) async throws {
        try await TestApp.runFirebase(.client) { app, key in
            try await app.firebase("reopenAttribution", key, ["requestedLink": link]).isFirebaseError(
                code, code == 404 ? "NOT_FOUND" : "INVALID_ARGUMENT", message)
        }
    }
}

/// Matches by facts (`KITH_INSTALL_MATCHING=likely`).
extension FirebaseAttributionTests {
    private func run(
        _ matching: InstallPolicy.Matching, _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        let proxies = [try #require(AddressRange("127.0.0.0/8"))]
        try await TestApp.run(
            configure: {
                TestApp.withLinks(&$0)
                $0.server.trustedProxies.ranges = proxies
                $0.rateLimits = RateLimitConfig()
                $0.installs.matching = matching
            }, .live
        ) { app in
            try await app.signUp("ann")
            var tap = HTTPFields.iPhone
            (tap[.acceptLanguage], tap[.xForwardedFor]) = ("ja", "203.0.113.7")
            let tapped = try await app.get("/users/ann/app-store?invitedBy=u-ann", headers: tap)
            try #require(tapped.status == 302, "\(tapped.text)")
            var key = try await app.keyed(.client)
            key[.xForwardedFor] = "203.0.113.7"
            try await test(app, key)
        }
    }

    @Test func `facts lead to a weak match without a uid, once, and again for the same installation`()
        async throws
    {
        try await run(.likely) { app, key in
            let first = try await app.firebase("installAttribution", key, Self.device())
            #expect(first["attributionConfidence"] == "WEAK", "\(first.text)")
            #expect(
                first["deepLink"] == "\(TestApp.origin)/users/ann" && first["requestIpVersion"] == "IP_V4")
            #expect(try await app.firebase("installAttribution", key, Self.device()).text == first.text)
            for other in [Self.device(time: 1_700_000_001), Self.device(time: nil)] {
                #expect(try await app.firebase("installAttribution", key, other)["deepLink"] == nil)
            }
        }
    }

    @Test func `another address, language, system or app is no match`() async throws {
        try await run(.likely) { app, key in
            var elsewhere = key
            elsewhere[.xForwardedFor] = "2001:db8::1"
            let far = try await app.firebase("installAttribution", elsewhere, Self.device())
            #expect(far["deepLink"] == nil && far["requestIpVersion"] == "IP_V6", "\(far.text)")
            let text = Self.device().json
            for (old, new) in [("\"ja\"", "\"en\""), ("18.6.1", "17.6"), ("com.example.app", "com.other")] {
                let body = Body(stringLiteral: text.replacing(old, with: new))
                #expect(try await app.firebase("installAttribution", key, body)["deepLink"] == nil, "\(new)")
            }
            let server = try await app.firebase("installAttribution", app.keyed(.server), Self.device())
            #expect(server["deepLink"] == nil && server["requestIpVersion"] == nil, "\(server.text)")
            #expect(
                try await app.firebase("installAttribution", key, Self.device())["attributionConfidence"]
                    == "WEAK")
        }
    }

    @Test func `facts count only if the operator wants it`() async throws {
        try await run(.exact) { app, key in
            let answer = try await app.firebase("installAttribution", key, Self.device())
            #expect(answer.status == 200 && answer["deepLink"] == nil, "\(answer.text)")
        }
    }
}
