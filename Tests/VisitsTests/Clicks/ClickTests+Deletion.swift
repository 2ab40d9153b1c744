import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kernel
@testable import Kith
@testable import Links
@testable import Visits

/// What becomes of visits of somebody's invites when they delete their account.
extension ClickTests {
    private func id(_ name: String) -> String {
        User.ID(of: User.UID(stored: "u-\(name)")).uuid.uuidString.lowercased()
    }

    /// Has visited an invite of Ann's, by her name and by a code.
    private func visitInvite(_ app: TestApp, _ code: String, times: Int) async throws {
        for _ in 0..<times {
            let answer = try await app.get("/users/ann?invitedBy=u-ann&code=\(code)", headers: .iPhone)
            #expect(answer.status == 200)
        }
    }

    private func sums(_ app: TestApp, of subjects: [String]) async throws -> Int {
        try await app.db.read.first(
            "SELECT coalesce(sum(count), 0)::bigint FROM counts WHERE subject = ANY(\(subjects)) AND measure = 'invites.page'"
        ) { try $0.next() } ?? -1
    }

    @Test func `what is counted while an account is deleted goes with it`() async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            let code = try #require(
                try await app.post("/v1/invites", as: "u-ann", ["label": "poster"])["code"])
            try await visitInvite(app, code, times: 7)
            try await app.count()
            #expect(try await sums(app, of: [id("ann"), code]) == 14)
            try await visitInvite(app, code, times: 2)
            let (deleting, counting) = try await app.db.withConnection { session in
                // Where the deletion tells of itself, the sums are gone, and nobody else sees that yet.
                try await session.script("BEGIN; LOCK TABLE outbox IN EXCLUSIVE MODE")
                let deleting = Task { try await app.call(.delete, "/v1/me", as: "u-ann").status }
                let isHeld = "wait_event_type = 'Lock' AND datname = current_database()"
                try await waitUntil("the deletion waits") {
                    try await app.count("pg_stat_activity WHERE \(isHeld)") > 0
                }
                let counting = Task { try await app.app.counting.countAll() }
                try await waitUntil("the counting waits") {
                    try await app.count("pg_stat_activity WHERE \(isHeld)") > 1
                }
                try await session.script("COMMIT")
                return (deleting, counting)
            }
            #expect(try await deleting.value == 204)
            _ = try await counting.value
            for _ in 0..<2 { try await app.count() }
            #expect(try await sums(app, of: [id("ann"), code]) == 0)
            #expect(try await app.count("clicks") == 0)
            #expect(try await sums(app, of: [""]) == 7, "what is nobody's stays")
        }
    }

    @Test func `a visit that is written after the account is deleted counts for nobody`() async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            let code = try #require(
                try await app.post("/v1/invites", as: "u-ann", ["label": "poster"])["code"])
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            try await app.db.write.run(
                "INSERT INTO clicks (link, event, platform) SELECT unnest(ARRAY[\(id("ann"))::text, \(code)]), 'page', 'ios'"
            )
            try await app.count()
            #expect(try await sums(app, of: [id("ann"), code]) == 0)
            #expect(try await sums(app, of: [""]) == 1)
            #expect(try await app.count("counts WHERE measure = 'invites.time_to_share'") == 0)
            #expect(try await app.count("clicks") == 0)
        }
    }

    @Test func `who deletes an account waits for what is being counted, and then forgets it`() async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            let deleting = try await app.db.withConnection { session in
                try await session.script(
                    """
                    BEGIN; UPDATE count_positions SET position = position WHERE source = 'events';
                    INSERT INTO counts (subject, measure, day, count) VALUES ('\(id("ann"))', 'invites.sign_ups', current_date, 1)
                    """)
                let deleting = Task { try await app.call(.delete, "/v1/me", as: "u-ann").status }
                try await waitUntil("it waits") {
                    try await app.count(
                        "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")
                        > 0
                }
                try await session.script("COMMIT")
                return deleting
            }
            #expect(try await deleting.value == 204)
            #expect(try await app.count("counts WHERE subject = '\(id("ann"))'") == 0)
        }
    }

    @Test func `a visit that only a later version knows waits for it`() async throws {
        try await run { app, _ in
            try await app.db.write.run("ALTER TABLE clicks DROP CONSTRAINT clicks_event")
            try await app.db.write.run(
                """
                INSERT INTO clicks (link, event, platform)
                SELECT 'https://go.example.com/party', unnest(ARRAY['shared', 'page', 'shared', 'page']), 'ios'
                """)
            try await app.count()
            #expect(try await app.count("clicks WHERE event = 'shared'") == 2)
            #expect(try await app.count("clicks") == 2)
            #expect(try await app.count("counts WHERE subject = '' AND count = 2") == 1)
        }
    }
}
