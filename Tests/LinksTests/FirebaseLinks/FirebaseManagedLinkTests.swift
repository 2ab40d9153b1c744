import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Web

/// `managedShortLinks:create` and `linkStats`.
@Suite(.inTurns) struct FirebaseManagedLinkTests {
    private static let info: Body = [
        "domainUriPrefix": "https://go.example.com", "link": TestApp.party,
        "navigationInfo": ["enableForcedRedirect": true] as Body,
        "analyticsInfo": ["googlePlayAnalytics": ["utmSource": "flyer"] as Body] as Body,
    ]

    @Test func `a managed link comes back with its parts, name and time`() async throws {
        try await TestApp.runFirebase { app, key in
            let made = try await app.firebase(
                "managedShortLinks:create", key,
                ["dynamicLinkInfo": Self.info, "name": " Flyer ", "suffix": ["option": "SHORT"]])
            let link = try #require(made["managedShortLink.link"], "\(made.text)")
            #expect(link.count == "https://go.example.com/".count + 4)
            #expect(made["previewLink"] == "\(link)?d=1")
            #expect(made["managedShortLink.linkName"] == "Flyer")
            #expect(made["managedShortLink.visibility"] == "UNARCHIVED")
            let time = made["managedShortLink.creationTime"] ?? ""
            #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT[\d:.]+Z/) != nil, "\(time)")
            let info = "managedShortLink.info"
            #expect(made["\(info).domainUriPrefix"] == "https://go.example.com")
            #expect(made["\(info).link"] == TestApp.party)
            #expect(made.text.contains(#""navigationInfo":{"enableForcedRedirect":true}"#), "\(made.text)")
            #expect(made["\(info).analyticsInfo.googlePlayAnalytics.utmSource"] == "flyer")
        }
    }

    @Test func `the same link under another name is renamed, and says if it is archived`() async throws {
        try await TestApp.runFirebase { app, key in
            func make(_ name: String?) async throws -> TestApp.Answer {
                try await app.firebase(
                    "managedShortLinks:create", key, ["dynamicLinkInfo": Self.info, "name": name])
            }
            let first = try await make("Flyer")
            let code = try #require(
                first["managedShortLink.link"]?.split(separator: "/").last, "\(first.text)")
            _ = try await app.call(.patch, "/v1/links/\(code)", headers: key, body: ["archived": true])
            let second = try await make("Poster")
            #expect(second["managedShortLink.link"] == first["managedShortLink.link"])
            #expect(second["managedShortLink.linkName"] == "Poster")
            #expect(second["managedShortLink.visibility"] == "ARCHIVED")
            #expect(try await make(nil)["managedShortLink.linkName"] == "Poster")
            try await make(String(repeating: "x", count: 101)).isFirebaseError(
                400, "INVALID_ARGUMENT", "`name`")
        }
    }

    @Test func `a client key makes no managed link, and reads no statistics`() async throws {
        try await TestApp.runFirebase(.client) { app, key in
            try await app.firebase("managedShortLinks:create", key, ["dynamicLinkInfo": Self.info])
                .isFirebaseError(403, "PERMISSION_DENIED", "Requests to this API")
            try await app.get(
                "/fdl/v1/https%3A%2F%2Fgo.example.com%2Fabc/linkStats?durationDays=7", headers: key
            ).isFirebaseError(403, "PERMISSION_DENIED", "Requests to this API")
        }
    }

    private static let unowned = "Your project does not own Dynamic Links domain:"

    @Test(
        arguments: [
            ("https%3A%2F%2Fgo.example.com%2Fsummer%2F26", "durationDays=7", nil),
            ("https%3a%2f%2fgo.example.com%2fsummer%2f26", "duration_days=%37&sdkVersion=1.2.3", nil),
            ("https%3A%2F%2Fgo.example.com%2Fsummer%2F26%3Futm_source%3Dx", "durationDays=3650", nil),
            ("http%3A%2F%2FGO.example.com%2Fsummer%2F26", "alt=json&durationDays=1", nil),
            ("https%3A%2F%2Fgo.example.com%2Fwinter", "durationDays=7", nil),
            ("https%3A%2F%2Fgo.example.com%2F", "durationDays=7", (404, "Requested entity")),
            ("https%3A%2F%2Fgo.example.com%2Fa%252Fb", "durationDays=7", (404, "Requested entity")),
            ("https%3A%2F%2Fother.page.link%2Fabc", "durationDays=7", (400, "\(unowned) other.page.link")),
            ("summer", "durationDays=7", (400, "Long link is not parsable: summer")),
            ("%00", "durationDays=7", (400, "Long link is not parsable: ")),
            ("%FF", "durationDays=7", (400, "Long link is not parsable: ")),
            ("https:%2F%2Fgo.example.com%2Fsummer%2F26", "", (400, "`durationDays`")),
            ("https:%2F%2Fgo.example.com%2Fsummer%2F26", "durationDays=0", (400, "`durationDays`")),
            ("https:%2F%2Fgo.example.com%2Fsummer%2F26", "durationDays=x", (400, "`durationDays`")),
            (
                "https:%2F%2Fgo.example.com%2Fsummer%2F26", "durationDays=1&durationDays=1",
                (400, "`durationDays`")
            ),
        ] as [(String, String, (Int, String)?)])
    private func `statistics are of a link that is one segment of the path`(
        segment: String, query: String, error: (code: Int, message: String)?
    ) async throws {
        try await TestApp.runFirebase { app, key in
            let made = try await app.firebase(
                "shortLinks", key,
                [
                    "longDynamicLink": TestApp.long(["link": TestApp.party]),
                    "suffix": ["option": "CUSTOM", "customSuffix": "summer/26"],
                ])
            try #require(made.status == 200, "\(made.text)")
            let answer = try await app.get("/fdl/v1/\(segment)/linkStats?\(query)", headers: key)
            if let error {
                answer.isFirebaseError(
                    error.code, error.code == 404 ? "NOT_FOUND" : "INVALID_ARGUMENT", error.message)
            } else {
                #expect(answer.text == #"{"linkEventStats":[]}"#)
            }
        }
    }

    @Test func `a path that is not whole segments is a 404 of Google's form`() async throws {
        try await TestApp.runFirebase { app, key in
            for path in [
                "https://go.example.com/abc/linkStats", "linkStats", "a/linkStats/b", "", "nonsense",
                "..%2F..%2Fv1%2Fme", "a/b/linkStats", "shortLinks/linkStats/",
            ] {
                let answer = try await app.get("/fdl/v1/\(path)", headers: key)
                if answer.status != 400 { answer.isFirebaseError(404, "NOT_FOUND") }
            }
            try await app.get("/fdl", headers: key).isFirebaseError(404, "NOT_FOUND")
            try await app.get("//fdl//v1/shortLinks", headers: key).isFirebaseError(404, "NOT_FOUND")
            try await app.get("/fdl/v1/shortLinks", headers: key).isFirebaseError(405, "UNIMPLEMENTED")
            #expect(
                try await app.get("/fdlx/v1/shortLinks").headers[.contentType]?.hasPrefix("text/html") == true
            )
        }
    }

    @Test func `statistics count clicks, redirects and what apps ask, as text`() async throws {
        try await TestApp.runFirebase { app, key in
            let made = try await app.firebase(
                "shortLinks", key,
                [
                    "longDynamicLink": TestApp.long(["link": TestApp.party]),
                    "suffix": ["option": "CUSTOM", "customSuffix": "summer"],
                ])
            let link = try #require(made["shortLink"], "\(made.text)")
            let desktop: HTTPFields = [
                .testHost: "go.example.com",
                .userAgent:
                    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/142.0.0.0 Safari/537.36",
            ]
            for _ in 0..<3 { #expect(try await app.get("/summer", headers: desktop).status == 302) }
            for _ in 0..<2 {
                _ = try await app.firebase("reopenAttribution", key, ["requestedLink": link])
            }
            _ = try await app.firebase("installAttribution", key, ["uniqueMatchLinkToCheck": link])
            let segment = PercentEncoding.encode(link)
            let answer = try await app.get("/fdl/v1/\(segment)/linkStats?durationDays=1", headers: key)
            let stats = try #require(answer.json["linkEventStats"] as? [[String: String]], "\(answer.text)")
            let seen = stats.map { "\($0["platform"] ?? "") \($0["event"] ?? "") \($0["count"] ?? "")" }
            #expect(
                Set(seen) == [
                    "DESKTOP CLICK 3", "DESKTOP REDIRECT 3", "IOS APP_RE_OPEN 2", "IOS APP_FIRST_OPEN 1",
                ], "\(answer.text)")
            // What was three days ago is not within two.
            try await app.count()
            try await app.db.write.run("UPDATE counts SET day = day - 3 WHERE measure = 'links.reopen'")
            let two = try await app.get("/fdl/v1/\(segment)/linkStats?durationDays=2", headers: key)
            #expect(!two.text.contains("APP_RE_OPEN"), "\(two.text)")
            let four = try await app.get("/fdl/v1/\(segment)/linkStats?durationDays=4", headers: key)
            #expect(four.text.contains("APP_RE_OPEN"), "\(four.text)")
        }
    }
}
