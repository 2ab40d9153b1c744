import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith

/// The first page: what needs somebody, and what to set up.
@Suite(.inTurns) struct HomeTests {
    private static let settings = """
        values: {greeting: Hello, mood: none}
        offers:
          spring: {appStoreId: "123456789", offer: Spring 2027}
        experiments:
          loud:
            goal: bought
            variations: {control: {weight: 50}, loud: {weight: 50, values: {greeting: HELLO}}}
          calm:
            goal: bought
            winner: calm
            variations: {control: {weight: 50}, calm: {weight: 50, values: {mood: calm}}}
        """

    private static func configure(_ config: inout Config) {
        TestApp.withConsole(&config)
        config.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
    }

    /// The lines of the list with a headline, as `text → page`.
    private func lines(_ title: String, _ session: HTTPFields, _ app: TestApp) async throws -> [String] {
        let page = try await app.get("/", headers: session)
        #expect(page.status == 200, "\(page.text)")
        guard let list = page.text.components(separatedBy: "<h2>\(title)</h2>").dropFirst().first else {
            return []
        }
        let items = list.components(separatedBy: "</ul>")[0].components(separatedBy: "<li>").dropFirst()
        return items.map { item in
            let text = item.replacing(/<[^>]*>/, with: "")
            return item.firstMatch(of: /href="([^"]*)"/).map { "\(text) → \($0.1)" } ?? text
        }
    }

    private func makeTrouble(_ app: TestApp) async throws {
        try await app.apply(Self.settings)
        let (one, other) = (
            User.ID(of: User.UID(stored: try await app.signUp("ann"))).uuid,
            User.ID(of: User.UID(stored: try await app.signUp("ben"))).uuid
        )
        try await app.db.write.run(
            """
            INSERT INTO rewards (user_id, id, program, invitee_id, side, other_id, kind, unit, amount, state, change_id, due_at)
            VALUES (\(one), gen_random_uuid(), 'autumn', \(other), 'inviter', \(other), 'credit', 'coins', 5, 'flagged',
                    gen_random_uuid(), now())
            """)
        try await app.db.write.run(
            """
            INSERT INTO experiment_days (experiment, phase, day, variation, units, crossed)
            VALUES ('loud', 1, '2026-10-01', 'control', 5000, 0), ('loud', 1, '2026-10-01', 'loud', 5000, 0)
            """)
        try await app.db.write.run(
            """
            INSERT INTO experiment_goal_days (experiment, phase, day, variation, goal, units, sum_of_values, sum_of_squares)
            VALUES ('loud', 1, '2026-10-01', 'control', 'bought', 500, 500, 500),
                   ('loud', 1, '2026-10-01', 'loud', 'bought', 700, 700, 700)
            """)
        try await app.db.write.run(
            """
            INSERT INTO client_versions (app, day, platform, version, action, count)
            VALUES ('', (now() AT TIME ZONE 'UTC')::date - 1, 'ios', '3.9', 'hard', 11),
                   ('', (now() AT TIME ZONE 'UTC')::date - 1, 'ios', '5.2', 'none', 89),
                   ('', (now() AT TIME ZONE 'UTC')::date - 1, 'android', '3.9', 'block', 10),
                   ('', (now() AT TIME ZONE 'UTC')::date - 1, 'android', '5.2', 'soft', 90)
            """)
        var key = try await app.keyed()
        let made = try await app.call(
            .post, "/v1/admin/webhooks", headers: key, body: ["url": "https://backend.example.com/kith"])
        let paused = try await app.call(
            .patch, "/v1/admin/webhooks/\(made["id"] ?? "")", headers: key, body: ["paused": true])
        #expect(paused.status == 200, "\(made.text) \(paused.text)")
        key[.ifMatch] = "\"0\""
        let draft = try await app.call(
            .put, "/v1/admin/config/drafts/easter", headers: key, body: ["changes": ["values": ["a": "b"]]])
        #expect([200, 201].contains(draft.status), "\(draft.text)")
    }

    private static let all = [
        "Rewards that wait for a decision: 1 → /rewards/queue",
        "Codes of spring run low: 0 left → /offer-codes/spring",
        "The endpoint https://backend.example.com/kith: paused → /webhooks/…",
        "Experiment loud: loud is better than control. → /experiments/loud",
        "Draft not published yet: easter → /changes/drafts/easter",
        "iOS: an update is forced in 11% of yesterday’s calls → /updates",
    ]

    @Test func `the first page lists what needs somebody, and nothing if all is well`() async throws {
        try await TestApp.run(configure: Self.configure) { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            #expect(try await lines("What needs somebody", ann, app) == [])
            try await makeTrouble(app)
            let found = try await lines("What needs somebody", ann, app)
            #expect(found.map { $0.replacing(/webhooks\/.+/, with: "webhooks/…") } == Self.all)
            for line in found {
                let path = line.components(separatedBy: " → ")[1]
                #expect(try await app.get(path, headers: ann).status == 200, "\(path)")
            }
        }
    }

    @Test func `whoever may not see something is not told that it needs somebody`() async throws {
        try await TestApp.run(configure: Self.configure) { app in
            try await makeTrouble(app)
            let support = try await app.signIn("ben@example.com", [.support])
            #expect(try await lines("What needs somebody", support, app) == [Self.all[0]])
            let viewer = try await app.signIn("cat@example.com", [.viewer])
            #expect(
                try await lines("What needs somebody", viewer, app)
                    == [Self.all[1], Self.all[3], Self.all[4], Self.all[5]])
            let links = try await app.signIn("dan@example.com", [.links])
            #expect(try await lines("What needs somebody", links, app) == [])
        }
    }

    @Test func `what fails or takes too long takes nothing else from the first page`() async throws {
        try await TestApp.run(configure: Self.configure) { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            try await makeTrouble(app)
            try await app.db.write.run("ALTER TABLE offer_campaigns RENAME TO gone")
            try await app.db.withConnection { session in
                try await session.script("BEGIN; LOCK TABLE rewards IN ACCESS EXCLUSIVE MODE")
                let found = try await lines("What needs somebody", ann, app)
                #expect(found.count == Self.all.count)
                #expect(
                    found.prefix(2) == [
                        "Offers and rewards: could not be read", "Offers and rewards: could not be read",
                    ])
                #expect(found.last == Self.all.last)
                try await session.script("ROLLBACK")
            }
        }
    }

    @Test func `a server on which nothing was counted says what to set up next`() async throws {
        try await TestApp.run(configure: Self.configure) { app in
            let ann = try await app.signIn("ann@example.com", [.admin])
            #expect(
                try await lines("What to set up next", ann, app).map {
                    $0.components(separatedBy: " → ").last
                }
                    == [
                        "/apps",
                        "A domain of deep links: linkDomains of an app, or KITH_LINK_DOMAINS (docs/deep-links.md)",
                        "/access", "/access", "/webhooks/new",
                    ])
            let viewer = try await app.signIn("ben@example.com", [.viewer])
            #expect(try await lines("What to set up next", viewer, app).count == 2)
            #expect(try await lines("What to set up next", ann, app).count == 4, "there are colleagues")
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count)
                VALUES ('', 'people.active', (now() AT TIME ZONE 'UTC')::date - 1, 1)
                """)
            #expect(try await lines("What to set up next", ann, app) == [])
        }
    }
}
