import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// `GET /v1/admin/inviters/growing`: whom an operator freezes in a wave of abuse.
@Suite(.inTurns) struct GrowingTests {
    /// Who came by whose invite, how many minutes ago.
    private typealias Joining = (invitee: String, inviter: String, ago: Int)

    private static func chain(_ name: String, below: String, _ length: Int, from: Int, every: Double = 0)
        -> [Joining]
    {
        (0..<length).map {
            ("\(name)\($0)", $0 == 0 ? below : "\(name)\($0 - 1)", from - Int(Double($0) * every))
        }
    }

    private static func star(_ name: String, below: String, _ size: Int, ago: Int = 5) -> [Joining] {
        (0..<size).map { ("\(name)\($0)", below, ago) }
    }

    private static let (month, week) = (43_200, 10_080)

    /// What there is, and who is told: a name, how many signed up below, and how many by the own invites.
    private static let table: [(comment: String, joinings: [Joining], told: [String])] = [
        ("a chain, by who began it", chain("f", below: "evil", 150, from: 50, every: 0.3), ["evil 150 1"]),
        (
            "a chain below somebody who brings people for long",
            star("old", below: "kind", 5, ago: month) + star("new", below: "kind", 2)
                + chain("f", below: "kind", 150, from: 50, every: 0.3), ["f0 149 1"]
        ),
        (
            "a chain beside many innocent people of the same inviter",
            star("old", below: "kind", 5, ago: month) + star("new", below: "kind", 60)
                + chain("f", below: "kind", 150, from: 50, every: 0.3), ["f0 149 1", "kind 61 61"]
        ),
        (
            "a star, by whose code it came, however old that is",
            star("old", below: "shop", 5, ago: month) + star("f", below: "shop", 200), ["shop 200 200"]
        ),
        (
            "three levels",
            star("a", below: "evil", 5)
                + (0..<5).flatMap { star("b\($0)x", below: "a\($0)", 5) }
                + (0..<5).flatMap { one in
                    (0..<5).flatMap { star("c\(one)x\($0)x", below: "b\(one)x\($0)", 2) }
                },
            ["evil 80 5"]
        ),
        (
            "branches inside a branch are not told again",
            star("a", below: "evil", 30) + star("b", below: "a0", 40) + star("c", below: "b0", 20),
            ["evil 90 30"]
        ),
        (
            "nor is a way up that grew before the time",
            star("old", below: "root", 3, ago: month)
                + [("seed", "root", month), ("evil", "seed", week)] + star("f", below: "evil", 9),
            ["evil 9 9"]
        ),
        (
            "what began on the day before is told by who began it",
            chain("f", below: "evil", 15, from: 1400, every: 90) + star("g", below: "f14", 7),
            ["evil 7 0"]
        ),
        (
            "a chain that began long before is told, too",
            chain("f", below: "evil", 150, from: 1400, every: 5) + star("g", below: "f149", 7),
            ["f49 7 0"]
        ),
        (
            "a suspect who brought fakes yesterday, who bring others now, is told once",
            star("a", below: "evil", 10, ago: 600) + (0..<10).flatMap { star("b\($0)x", below: "a\($0)", 3) },
            ["evil 30 0"]
        ),
        (
            "two waves", star("f", below: "evil", 30) + chain("g", below: "worse", 40, from: 50),
            ["worse 40 1", "evil 30 30"]
        ),
        ("nothing lately", star("old", below: "kind", 5, ago: month), []),
    ]

    private static func add(_ joinings: [Joining], to app: TestApp) async throws {
        let names = Array(Set(joinings.flatMap { [$0.invitee, $0.inviter] }))
        try await app.db.write.run(
            """
            INSERT INTO users (id, uid, username)
            SELECT user_id('u-' || n), 'u-' || n, n FROM unnest(\(names)::text[]) AS n
            """)
        try await app.db.write.run(
            """
            INSERT INTO acceptances (invitee_id, inviter_id, accepted_at)
            SELECT user_id('u-' || a), user_id('u-' || b), now() - t * interval '1 minute'
            FROM unnest(\(joinings.map(\.invitee))::text[], \(joinings.map(\.inviter))::text[],
                        \(joinings.map { Double($0.ago) })::float8[]) AS j (a, b, t)
            """)
    }

    private static func growing(_ app: TestApp, _ query: String = "") async throws -> [[String: Any]] {
        let answer = try await app.get(
            "/v1/admin/inviters/growing\(query)", headers: app.keyed(.support))
        #expect(answer.status == 200, "\(answer.text)")
        return answer.json["inviters"] as? [[String: Any]] ?? []
    }

    private static func line(_ row: [String: Any]) -> String {
        "\(row["username"] ?? "") \(row["signUps"] ?? "") \(row["direct"] ?? "-")"
    }

    @Test(arguments: table.indices)
    func `a wave is told once and whole, by who began it`(place: Int) async throws {
        let row = Self.table[place]
        try await TestApp.run { app in
            try await Self.add(row.joinings, to: app)
            #expect(try await Self.growing(app).map(Self.line) == row.told, "\(row.comment)")
            #expect(try await Self.growing(app, "?limit=1").map(Self.line) == Array(row.told.prefix(1)))
        }
    }

    @Test func `a row tells whether the user's invites are frozen, and freezing it freezes the wave`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("evil")
            var last = "evil"
            for number in 0..<30 {
                try await app.signUp("f\(number)aa", invite: TestApp.link(last, "u-\(last)"))
                last = "f\(number)aa"
            }
            let before = try await Self.growing(app)
            #expect(before.map(Self.line) == ["evil 30 1"] && before[0]["frozen"] == nil)
            let frozen = try await app.call(
                .put, "/v1/admin/users/u-evil/invite-freeze", headers: app.keyed(.support),
                body: ["reason": "a wave"])
            #expect(frozen.status == 200 && frozen["users"] == "31", "\(frozen.text)")
            let freeze = try #require(try await Self.growing(app)[0]["frozen"] as? [String: String])
            #expect(freeze["reason"] == "a wave" && freeze["at"] != nil)
            let environment = ["KITH_DATABASE_URL": app.app.config.database.url]
            for (arguments, status, text) in [
                ([], 0, "30 sign-ups below, 1 by own invites: evil (u-evil), active, frozen\n"),
                (["--minutes", "1441"], 1, "`minutes` must be from 1 to 1440"),
                (["--limit", "x"], 1, "`limit` must be from 1 to 100"),
            ] {
                let outcome = try await KithCommand(["inviters"] + arguments, environment).run()
                #expect(outcome.status == Int32(status), "\(outcome.error)")
                #expect((outcome.output + outcome.error).contains(text), "\(outcome.output) \(outcome.error)")
            }
        }
    }
}
