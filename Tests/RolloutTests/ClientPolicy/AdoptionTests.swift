import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// How releases spread, from counts of installations.
@Suite(.inTurns) struct AdoptionTests {
    private static let days = (1...5).map { "2026-10-0\($0)" }

    /// Counts of the first days of October, by version.
    private static func adoption(
        _ counts: [String: [Int]], versions: [String]? = nil, named: [String] = [], followed: Int = 60,
        days: [String] = days
    ) -> Adoption {
        let all = counts.flatMap { version, numbers in
            zip(days, numbers).filter { $1 > 0 }.map {
                Adoption.Count(day: $0, version: version, installations: $1)
            }
        }
        return Adoption(
            all, days: days, versions: versions?.compactMap { VersionNumber($0) },
            named: Set(named.compactMap { VersionNumber($0) }), followed: followed)
    }

    @Test(
        arguments: [
            // It, or a newer one, counts.
            (
                ["1.0": [10, 5, 0, 0, 0], "1.1": [0, 5, 4, 1, 0], "1.2": [0, 0, 6, 9, 9]], "1.1",
                "2026-10-02", 0, 1
            ),
            // Less than 1 % is not a beginning; 1 % is.
            (["1.0": [100, 1000, 99, 1, 1], "1.1": [0, 9, 1, 99, 99]], "1.1", "2026-10-03", 1, 1),
            // Not yet.
            (["1.0": [10, 9, 8, 6, 6], "1.1": [0, 1, 2, 4, 4]], "1.1", "2026-10-02", nil, nil),
            // A day without installations is a gap.
            (["1.0": [10, 9, 0, 5, 1], "1.1": [0, 1, 0, 5, 9]], "1.1", "2026-10-02", 2, 3),
            // What nobody can read, or has no room, is of no version, but an installation.
            (
                ["1.0": [10, 0, 0, 0, 0], "other": [0, 6, 5, 0, 0], "1.1": [0, 4, 5, 9, 9]], "1.1",
                "2026-10-02", 1, 2
            ),
            // 1.10 is newer than 1.9.
            (["1.9": [10, 5, 1, 0, 0], "1.10": [0, 5, 9, 9, 9]], "1.10", "2026-10-02", 0, 1),
            (["1.0": [10, 10, 10, 10, 10]], "2.0", nil, nil, nil),
        ] as [([String: [Int]], String, String?, Int?, Int?)])
    func `a release begins at 1 %, and it or a newer one reaches half and nine tenths`(
        counts: [String: [Int]], version: String, first: String?, half: Int?, nineTenths: Int?
    ) {
        let release = Self.adoption(counts, versions: [version]).releases[0]
        #expect(release.firstDay == first && release.half == half && release.nineTenths == nineTenths)
        #expect(!release.mayBeOlder)
    }

    @Test func `what the first counted day had may be older, so nobody knows how fast it spread`() {
        let release = Self.adoption(["1.0": [0, 10, 5, 5, 5]], versions: ["1.0"]).releases[0]
        #expect(release.mayBeOlder && release.firstDay == "2026-10-02" && release.half == nil)
    }

    @Test func `what came after days without calls may have come on these`() {
        let counts = ["1.0": [10, 0, 0, 4, 1], "1.1": [0, 0, 0, 6, 9]]
        let release = Self.adoption(counts, versions: ["1.1"]).releases[0]
        #expect(release.mayBeOlder && release.firstDay == "2026-10-04" && release.half == nil)
    }

    @Test func `a release has a gap on a day without calls, and a policy that begins then is seen`()
        async throws
    {
        try await run("Asia/Tokyo") { app, viewer in
            // Nobody calls from the day after the first one of 5.2 on, until three days later.
            try await app.db.write.run("UPDATE counts SET day = day + 3 WHERE day = '2026-10-04'")
            var headers = viewer
            let path =
                "/v1/admin/client-versions/adoption?platform=ios&to=2026-10-09&app=com.example.app&versions=5.2,5.1"
            let answer = try await app.get(path, headers: headers)
            let newest = try #require((answer.json["releases"] as? [[String: Any]])?.first)
            #expect(newest["counts"] as? [Int] == [20, 0, 0, 0, 80, 0, 0])
            #expect((newest["shares"] as? [Any])?.count { $0 is NSNull } == 5, "\(answer.text)")
            #expect(newest["daysToHalf"] as? Int == 4)
            headers[.accept] = "image/svg+xml"
            let picture = try await app.get(path, headers: headers).text
            #expect(picture.contains(">ask<") && picture.contains("5.2 80% (4 days)"), "\(picture)")
            // Two points stand alone, of which the last ends the line; the other release has a line of two.
            #expect(picture.ranges(of: "<circle").count == 6, "\(picture)")
        }
    }

    @Test func `by default the newest come that some day had at least 1 % of`() {
        var counts = Dictionary(uniqueKeysWithValues: (1...7).map { ("1.\($0)", [10, 10, 10, 10, 10]) })
        counts["9.9"] = [0, 0, 0, 0, 0]
        counts["8.8"] = [0, 0, 0, 0, 0]
        counts["3.0"] = [0, 0, 0, 0, 1]
        let thousand = counts.mapValues { $0.map { $0 * 20 } }.merging(["8.8": [0, 0, 1, 0, 0]]) { $1 }
        #expect(
            Self.adoption(thousand).releases.map { "\($0.version)" }
                == ["3.0", "1.7", "1.6", "1.5", "1.4", "1.3"])
        #expect(Self.adoption([:]).releases.isEmpty)
    }

    /// 2,300 installations a day, of three releases.
    private static let true3 = [
        "5.0": [2300, 1000, 300, 200, 100], "5.1": [0, 1300, 1000, 600, 200],
        "5.2": [0, 0, 1000, 1500, 2000],
    ]

    @Test(arguments: [1, 5, 40])
    func `versions that somebody made up push out no release, and make none look more used`(made: Int) {
        let invented = (0..<made).map { ("9.\($0)", [0, 0, 23 + $0 / 20, 24, 0]) }
        let counts = Self.true3.merging(invented) { $1 }
        let shown = Self.adoption(counts).releases
        #expect(shown.map { "\($0.version)" }.suffix(3) == ["5.2", "5.1", "5.0"])
        #expect(shown.count <= 5, "two of the others, which may be new: \(shown.map(\.version))")
        #expect(shown.first { "\($0.version)" == "5.2" }?.days.map(\.count) == [1000, 1500, 2000])
        #expect(
            shown.first { "\($0.version)" == "5.0" }?.days.map(\.count) == [2300, 2300, 2300, 2300, 2300])
    }

    @Test func `a newer version counts once a policy names it, a tenth had it, or 1 % of seven days`() {
        let days = (10...19).map { "2026-10-\($0)" }
        func counts(_ newer: [Int]) -> [String: [Int]] {
            ["5.2": newer.map { 1000 - $0 }, "5.3": newer]
        }
        func updated(_ newer: [Int], named: [String] = []) -> [Int] {
            Self.adoption(counts(newer), versions: ["5.2"], named: named, days: days).releases[0].days
                .map(\.count)
        }
        let all = days.map { _ in 1000 }
        let few = [10, 20, 30, 40, 50, 60, 0, 0, 0, 9]
        #expect(updated(few) == few.map { 1000 - $0 })
        #expect(updated(few, named: ["5.3"]) == all)
        #expect(updated(few.dropLast() + [10]) == all, "1 % of seven days")
        #expect(updated(few.dropLast() + [100]) == all, "a tenth")
    }

    @Test func `of a version that no installation said it has nobody knows the first day`() {
        // Newer ones are there, made up or not; on the third day it comes out of the others.
        let counts = Self.true3.merging(["other": [398, 398, 0, 0, 0], "9.9": [9, 900, 0, 0, 0]]) { $1 }
        let unseen = Self.adoption(counts, versions: ["5.3"]).releases[0]
        #expect(!unseen.isSeen && unseen.firstDay == nil && unseen.days.isEmpty && !unseen.mayBeOlder)
        let late = Self.adoption(
            counts.merging(["5.3": [0, 0, 100, 100, 100]]) { $1 }, versions: ["5.3"]
        ).releases[0]
        #expect(late.isSeen && late.firstDay == "2026-10-03")
    }

    @Test func `a release is followed for as many days as are asked for, and reaches what it reaches later`()
    {
        let release = Self.adoption(
            ["1.0": [10, 9, 9, 9, 1], "1.1": [0, 1, 1, 1, 9]], versions: ["1.1"], followed: 1
        ).releases[0]
        #expect(release.days.map(\.count) == [1, 1] && release.nineTenths == 3)
    }

    /// Two releases after one that was there before, on iPhones, and another one of another app.
    private func run(
        _ zone: String = "UTC", _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        let zone = try #require(TimeZone(identifier: zone))
        try await TestApp.run(configure: {
            TestApp.withStores(&$0)
            $0.counts.zone = zone
        }) { app in
            try await app.apply(
                """
                policies:
                  ask:
                    platform: ios
                    when: {version: {lt: "5.2"}, from: 2026-10-03T20:00:00Z}
                    action: soft
                    target: "5.2"
                  always: {platform: ios, priority: -1, when: {version: {lt: "5.1"}}, action: soft, target: "5.1"}
                  droid: {platform: android, when: {version: {lt: "5.2"}}, action: soft, target: "5.2"}
                """)
            for (version, numbers) in [
                "ios 5.0 com.example.app": [100, 60, 50, 5], "ios 5.1 com.example.app": [0, 40, 30, 15],
                "ios 5.2 com.example.app": [0, 0, 20, 80], "ios 7.0 com.other": [0, 300, 300, 300],
                "android 6.0 com.example.app": [9, 9, 9, 9],
            ] {
                for (day, number) in zip(Self.days, numbers) where number > 0 {
                    try await app.db.write.run(
                        """
                        INSERT INTO counts (subject, measure, day, count)
                        VALUES (\("version \(version)"), 'versions.installations', \(day)::date, \(Int64(number)))
                        """)
                }
            }
            let key = try await APIKeyStore(db: app.db).create(name: "reader", scope: .viewer)
            try await test(app, [.authorization: "Bearer \(key)"])
        }
    }

    private static let path = "/v1/admin/client-versions/adoption?platform=ios&to=2026-10-04"

    @Test func `an operator reads how the releases of an app spread, and when policies began`() async throws {
        try await run("Asia/Tokyo") { app, viewer in
            let answer = try await app.get("\(Self.path)&app=com.example.app", headers: viewer)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer["timeZone"] == "Asia/Tokyo" && answer["to"] == "2026-10-04")
            let releases = try #require(answer.json["releases"] as? [[String: Any]])
            #expect(releases.map { $0["version"] as? String } == ["5.2", "5.1", "5.0"])
            let newest = releases[0]
            #expect(newest["firstDay"] as? String == "2026-10-03" && newest["mayBeOlder"] as? Bool == false)
            #expect(newest["shares"] as? [Double] == [0.2, 0.8] && newest["counts"] as? [Int] == [20, 80])
            #expect(newest["installations"] as? [Int] == [100, 100])
            #expect(newest["daysToHalf"] as? Int == 1 && newest["daysToNineTenths"] == nil)
            let policies = try #require(newest["policies"] as? [[String: Any]])
            #expect(policies.count == 1 && policies[0]["key"] as? String == "ask")
            // In Tokyo it begins on the day after.
            #expect(
                policies[0]["from"] as? String == "2026-10-03T20:00:00.000Z"
                    && policies[0]["day"] as? Int == 1)
            #expect(releases[1]["shares"] as? [Double] == [0.4, 0.5, 0.95])
            let always = try #require(releases[1]["policies"] as? [[String: Any]])
            #expect(
                always[0]["key"] as? String == "always" && always[0]["from"] == nil && always[0]["day"] == nil
            )
            #expect(releases[2]["mayBeOlder"] as? Bool == true && releases[2]["daysToHalf"] == nil)
            let unseen = try await app.get("\(Self.path)&versions=5.2,5.1.9", headers: viewer)
            let told = try #require(unseen.json["releases"] as? [[String: Any]])
            #expect(told.map { $0["seen"] as? Bool } == [true, false])
            #expect(told[1]["firstDay"] == nil && (told[1]["counts"] as? [Int])?.isEmpty == true)
            let both = try await app.get("\(Self.path)&versions=7.0,5.2&days=1", headers: viewer)
            let shares = (both.json["releases"] as? [[String: Any]])?.map { $0["shares"] as? [Double] }
            #expect(shares == [[0.75, 0.75], [0.8, 0.95]], "all apps together: \(both.text)")
        }
    }

    @Test func `the same is a table and a picture, in English and Japanese`() async throws {
        try await run { app, viewer in
            var headers = viewer
            headers[.accept] = "text/csv"
            let path = "\(Self.path)&app=com.example.app"
            let table = try await app.get(path, headers: headers)
            #expect(
                table.headers[.contentDisposition]
                    == #"attachment; filename="adoption_2025-08-31_2026-10-04.csv""#)
            #expect(
                table.text
                    == "day,5.2,5.1,5.0\r\n0,0.2,0.4,1.0\r\n1,0.8,0.5,1.0\r\n2,,0.95,1.0\r\n3,,,1.0\r\n")
            headers[.accept] = "image/svg+xml"
            for (language, texts) in [
                "en": [
                    "Releases, share of", "5.2 80% (1 day)", "may be older: 5.0",
                    ">ask<",
                ],
                "ja": ["リリース別の普及率", "5.1 95% (2日)", ">ask<"],
            ] {
                for width in [320, 720] {
                    headers[.acceptLanguage] = language
                    let picture = try await app.get("\(path)&width=\(width)", headers: headers)
                    #expect(picture.headers[.contentLanguage] == language)
                    #expect(XMLParser(data: Data(picture.bytes)).parse())
                    for text in texts { #expect(picture.text.contains(text), "\(text): \(picture.text)") }
                }
            }
            headers[.acceptLanguage] = "ja"
            let none = try await app.get("\(path)&versions=9.9", headers: headers)
            #expect(none.text.contains("集計にないバージョン: 9.9"))
            #expect(none.text.contains("データがありません") && XMLParser(data: Data(none.bytes)).parse())
        }
    }

    @Test(arguments: [
        ("platform=web", "platform"), ("", "platform"), ("platform=ios&versions=x", "versions"),
        ("platform=ios&versions=1,2,3,4,5,6,7,8", "versions"), ("platform=ios&versions=1.0,1", "versions"),
        ("platform=ios&versions=", "versions"), ("platform=ios&days=0", "days"),
        ("platform=ios&days=401", "days"),
        ("platform=ios&to=today", "to"), ("platform=ios&width=9", "width"),
        ("platform=ios&from=2026-10-01", "from"),
    ])
    func `a wrong question is refused by its field`(query: String, field: String) async throws {
        try await TestApp.run { app in
            let answer = try await app.get(
                "/v1/admin/client-versions/adoption?\(query)", headers: app.keyed())
            #expect(answer.status == 400 && answer["field"] == field, "\(answer.text)")
        }
    }
}
