import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kith
@testable import Numbers
@testable import Web

/// What each measure counts.
@Suite(.inTurns) struct MeasureTests {
    /// How often each measure happened in `MeasureWorld`, and how that divides by some of its dimensions.
    private static let table: [(measure: String, total: Int?, parts: [CountDimension: String])] = [
        (
            "links.clicks", 3,
            [.platform: "android 1, desktop 1, ios 1", .campaign: "spring 3", .language: "ja 1, – 2"]
        ),
        ("links.redirects", 2, [.platform: "android 1, desktop 1"]),
        ("links.installs", 1, [.platform: "android 1", .campaign: "spring 1"]),
        ("links.first_opens", 1, [.platform: "android 1", .campaign: "spring 1"]),
        ("links.reopens", 1, [.platform: "ios 1", .campaign: "spring 1"]),
        ("links.sign_ups", 1, [.platform: "ios 1", .country: "JP 1", .campaign: "spring 1"]),
        ("links.friendships", 1, [:]), ("invites.pages", 1, [.platform: "android 1", .kind: "name 1"]),
        ("invites.taps", 1, [.platform: "android 1", .kind: "name 1"]),
        ("invites.installs", 1, [.platform: "android 1", .app: "standard 1"]),
        ("invites.first_opens", 1, [.platform: "android 1", .app: "standard 1"]),
        ("invites.sign_ups", 8, [.kind: "name 8", .country: "JP 1, US 1, – 6", .platform: "ios 2, – 6"]),
        ("invites.friendships", 8, [.kind: "name 8"]), ("invites.passed_on", 2, [:]),
        ("invites.time_to_share", 1, [:]), ("invites.time_to_friendship", 1, [:]),
        ("cohorts.opened_7", 1, [:]), ("cohorts.opened_30", 1, [:]), ("cohorts.joined_7", 8, [:]),
        ("cohorts.joined_30", 8, [:]), ("invites.made", 1, [.kind: "custom 1"]),
        (
            "versions.installations", 3,
            [.version: "5.2 2, 9.0 1", .platform: "ios 2, android 1", .app: "com.example.app 3"]
        ),
        ("versions.calls", 4, [.version: "5.2 3, 9.0 1", .platform: "ios 3, android 1", .cause: "none 4"]),
        (
            "people.sign_ups", 12,
            [
                .cause: "invited 8, alone 4", .app: "standard 11, – 1", .country: "US 3, JP 2, – 7",
                .language: "ja 5, – 7",
            ]
        ),
        ("people.active", 11, [:]), ("people.active_monthly", 11, [:]), ("people.accounts", 11, [:]),
        ("people.deletions", 1, [:]), ("people.suspensions", 1, [:]), ("people.returns", 1, [:]),
        ("people.renames", 1, [:]), ("friendships.made", 9, [.cause: "invite 8, other 1"]),
        ("friendships.ended", 1, [:]), ("friendships.requested", 1, [:]),
        ("friendships.answered", 1, [.cause: "accepted 1"]),
        ("offers.free", 3, [.item: "spring 3"]), ("offers.expiring", 1, [.item: "spring 1"]),
        ("offers.redeemed", 3, [.item: "Spring 2027 2, Gift 1"]),
        ("offers.dealt", 2, [.item: "gift 1, spring 1"]),
        ("purchases.started", 3, [.item: "monthly 2, yearly 1"]),
        ("purchases.renewed", 1, [.item: "monthly 1"]), ("purchases.ended", 1, [.item: "yearly 1"]),
        ("purchases.refunded", 1, [.item: "monthly 1"]),
        ("rewards.earned", 11, [.item: "autumn 8, gems 2, codes 1"]),
        ("rewards.flagged", 4, [.item: "autumn 4", .cause: "flag 4"]),
        ("rewards.approved", 6, [.item: "autumn 4, codes 1, gems 1"]),
        ("rewards.settled", 1, [.item: "codes 1"]), ("rewards.waiting", 1, [.item: "gems 1"]),
        ("rewards.held", 3, [.item: "autumn 3"]), ("rewards.owed", nil, [.item: "coins 250, gems 7"]),
        ("rewards.ended", 1, [.item: "autumn 1", .cause: "operator 1"]),
        ("rewards.clawed_back", 1, [.item: "autumn 1"]),
    ]

    /// `YearTests` counts these by what tells visitors apart, which these calls have not.
    private static let ofVisitors: Set = ["links.visitors", "invites.visitors"]

    @Test func `each measure counts what was done, and no measure is missing here`() async throws {
        #expect(Self.ofVisitors.union(Self.table.map(\.measure)) == Set(Measure.all.map(\.name)))
        try await MeasureWorld.run { world in
            for (measure, total, parts) in Self.table {
                let answer = try await world.numbers(measure)
                #expect(answer.json["total"] as? Int == total, "\(measure): \(answer.text)")
                for (dimension, expected) in parts {
                    let found = try await world.parts(measure, by: dimension.rawValue)
                    #expect(found == expected, "\(measure) by \(dimension.rawValue)")
                }
            }
        }
    }

    @Test func `rewards are counted as often as there are any`() async throws {
        try await MeasureWorld.run { world in
            for (measure, condition) in [
                ("rewards.earned", "true"), ("rewards.held", "state = 'flagged'"),
                ("rewards.clawed_back", "state = 'clawed_back'"), ("rewards.ended", "state = 'rejected'"),
            ] as [(String, Statement)] {
                let rows = try await world.app.db.read.query(
                    """
                    SELECT program || ' ' || count(*) FROM rewards WHERE \(condition)
                    GROUP BY program ORDER BY count(*) DESC, program
                    """
                ) { try $0.next(as: String.self) }
                let told = try await world.parts(measure, by: "item")
                #expect(!rows.isEmpty && told == rows.joined(separator: ", "), "\(measure)")
            }
        }
    }

    @Test func `each dimension of a measure divides its total`() async throws {
        try await MeasureWorld.run { world in
            for measure in Measure.all where measure.addsUp {
                for dimension in measure.dimensions {
                    let answer = try await world.numbers(measure.name, "by=\(dimension.rawValue)&limit=1")
                    let rest = ["others", "unknown"].compactMap { answer.json[$0] as? [String: Any] }
                    let parts = (answer.objects("series") + rest).compactMap { $0["total"] as? Int }
                    #expect(parts.reduce(0, +) == answer.json["total"] as? Int, "\(answer.text)")
                    guard let first = answer.objects("series").first, let value = first["value"] as? String
                    else { continue }
                    let alone = try await world.numbers(
                        measure.name, "\(dimension.rawValue)=\(PercentEncoding.encode(value))")
                    #expect(alone.json["total"] as? Int == first["total"] as? Int, "\(alone.text)")
                }
            }
        }
    }
}
