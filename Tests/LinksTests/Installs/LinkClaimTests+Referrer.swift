import Testing

@testable import AppTesting
@testable import Links
@testable import Web

/// What counts in Google Play's referrer.
extension LinkClaimTests {
    @Test(
        arguments: [
            ("kith_link=a&kith_link=b", "a"), ("kith_claim=t&kith_link=a&utm_source=x", "a"),
            ("kith%5Flink=a&kith_link=b", "a"), ("kith_link%3Da%26kith_link%3Db", "a"),
            ("kith_links=a", nil), ("kith_link=", nil), ("", nil), ("&", nil), ("=", nil),
            // Not where Kith writes it.
            ("utm_source=x&kith_link=a", nil), ("x&kith_link=a", nil), ("utm_source=x%26kith_link%3Da", nil),
            ("kith_claim=t&utm_source=x&kith_link=a", nil), ("utm_source%3Dx%2526kith_link%253Da", nil),
        ] as [(String, String?)])
    func `row 5: the link in a referrer counts at its head alone`(referrer: String, url: String?) {
        #expect(LinkReferrer.read(referrer).link == url)
    }

    @Test(
        arguments: [
            ("kith_claim=t", "t"), ("kith_claim%3Dt", "t"), ("kith_claim=t&kith_claim=u", "t"),
            ("kith_link=a&kith_claim=t", nil), ("utm_source=x&kith_claim=t", nil),
            ("utm_source=x%26kith_claim%3Dt", nil),
            ("kith_link=a%26kith_claim%3Dt&gclid=x%26kith_claim%3Dt", nil),
            ("gclid=x%26kith_claim%3Dt", nil), ("utm_source%3Dx%2526kith_claim%253Dt", nil),
        ] as [(String, String?)])
    func `row 1: the token in a referrer counts at its head alone`(referrer: String, token: String?) {
        #expect(LinkReferrer.read(referrer).token == token)
    }

    @Test(arguments: ["utm_source", "utm_campaign", "gclid", "cid"])
    func `nobody adds a claim of their own to another's link`(name: String) async throws {
        try await run { app, key in
            try await app.signUp("eve")
            let tap = try await app.tap("/users/eve/play-store?invitedBy=u-eve")
            #expect(tap.hasPrefix("kith_claim="))
            try await make(app, key, "party", Self.party)
            let evil = PercentEncoding.encode("x&\(tap)")
            for added in [evil, PercentEncoding.encode(evil)] {
                let store = try await open(app, "/party?\(name)=\(added)")
                let referrer = try #require(store.playReferrer)
                for text in [referrer, PercentEncoding.encode(referrer)] {
                    let claim = try await app.claim(["platform": "android", "referrer": text])
                    #expect(
                        claim["deepLink.url"]?.hasPrefix("https://go.example.com/party") == true,
                        "\(claim.text)")
                    #expect(claim["claim"] == nil && claim["inviter"] == nil, "\(claim.text)")
                }
            }
            // Nor to the way to the store.
            let carried = PercentEncoding.encode(tap)
            let own = try await app.tap("/users/ann/play-store?invitedBy=u-ann&referrer=\(carried)")
            #expect(own.hasPrefix("kith_claim=") && !own.contains(tap), "\(own)")
        }
    }
}
