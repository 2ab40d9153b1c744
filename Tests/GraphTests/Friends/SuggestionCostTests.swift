import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// The rows and pages that suggestions read for a user with very many dismissals. Nothing is timed.
@Suite(.inTurns) struct SuggestionCostTests {
    private static let dismissals = 300_000

    @Test func `dismissals are looked up one by one, even if there are very many`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 60)
            let ann = people[0]
            for (place, one) in people.enumerated() {
                for step in 1...5 {
                    try await app.db.write.batch(
                        FriendStore.write(
                            .init(uid: User.UID(stored: one), wants: true),
                            .init(uid: User.UID(stored: people[(place + step) % people.count]), wants: true),
                            FriendLimits()))
                }
            }
            try await app.db.withConnection { try await $0.script("ANALYZE") }
            #expect(try await suggested(app, ann).count == 10)
            let before = try await cost(app, ann)
            try await app.db.withConnection {
                try await $0.script(
                    """
                    INSERT INTO dismissals (user_id, other_id, other_uid)
                    SELECT id, md5(n::text)::uuid, 'x' || n FROM users, generate_series(1, \(Self.dismissals)) n
                    WHERE uid = '\(ann)';
                    ANALYZE dismissals
                    """)
            }
            #expect(try await app.call(.delete, "/v1/suggestions/\(people[10])", as: ann).status == 204)
            let after = try await cost(app, ann)
            #expect(after.rows <= 100, "\(after)")
            #expect(after.pages <= 10 * before.pages, "\(before), then \(after)")
        }
    }

    private func suggested(_ app: TestApp, _ uid: String) async throws -> [String] {
        let answer = try await app.get("/v1/suggestions", as: uid)
        return (answer.json["suggestions"] as? [[String: Any]] ?? []).compactMap { $0["uid"] as? String }
    }

    /// The rows of dismissals and the pages of all tables that the product's own statement reads.
    private func cost(_ app: TestApp, _ uid: String) async throws -> (rows: Double, pages: Int) {
        let prepared = try await app.db.walks.first(
            """
            SELECT name, array_to_string(parameter_types, ' ') FROM pg_prepared_statements
            WHERE statement LIKE '%AS weight%' AND statement NOT LIKE '%pg_prepared_statements%'
            """
        ) { (name: try $0.next(as: String.self), types: try $0.next(as: String.self)) }
        let (name, types) = try #require(prepared)
        let values = types.split(separator: " ").map {
            $0 == "uuid" ? "'\(User.ID(of: User.UID(stored: uid)).uuid)'" : "20"
        }
        let sql =
            "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE \(name) (\(values.joined(separator: ", ")))"
        let text =
            try await app.db.walks.first(Statement(text: sql)) { try $0.next(as: String.self) } ?? ""
        let plans = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        let plan = try #require(plans?.first?["Plan"] as? [String: Any])
        let pages = (plan["Shared Hit Blocks"] as? Int ?? 0) + (plan["Shared Read Blocks"] as? Int ?? 0)
        return (Self.rows(of: "dismissals", in: plan), pages)
    }

    private static func rows(of table: String, in node: [String: Any]) -> Double {
        func number(_ field: String) -> Double { (node[field] as? NSNumber)?.doubleValue ?? 0 }
        let own = (number("Actual Rows") + number("Rows Removed by Filter")) * number("Actual Loops")
        return (node["Relation Name"] as? String == table ? own : 0)
            + (node["Plans"] as? [[String: Any]] ?? []).reduce(0) { $0 + rows(of: table, in: $1) }
    }
}
