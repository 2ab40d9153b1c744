import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import Graph
@testable import Kernel
@testable import Web

/// Calls of the friend graph, and many users at once.
extension TestApp {
    /// Acts over HTTP.
    @discardableResult
    func act(_ action: FriendAction, _ uid: String, on other: String) async throws -> Answer {
        let (method, list): (HTTPRequest.Method, String) =
            switch action {
            case .want: (.put, "friends")
            case .unwant: (.delete, "friends")
            case .block: (.put, "blocks")
            case .unblock: (.delete, "blocks")
            }
        return try await call(method, "/v1/\(list)/\(PercentEncoding.encode(other))", as: uid)
    }

    /// Makes two users friends by two requests.
    func befriend(_ one: String, _ other: String) async throws {
        try await act(.want, one, on: other)
        let answer = try await act(.want, other, on: one)
        try #require(answer["relationship"] == "friends", "\(answer.text)")
    }

    /// A user's relationships to others, by the batch call.
    func relationships(_ uid: String, _ others: [String]) async throws -> [String] {
        let answer = try await post("/v1/users", as: uid, ["uids": others])
        try #require(answer.status == 200, "\(answer.text)")
        return (answer.json["users"] as? [[String: Any]] ?? []).compactMap {
            $0["relationship"] as? String
        }
    }

    func relationship(_ uid: String, _ other: String) async throws -> String? {
        try await relationships(uid, [other]).first
    }

    /// One field of each entry of a list, all pages.
    /// - Parameter betweenPages: called after each page with everything listed so far.
    func list(
        _ path: String, _ entries: String, _ field: String = "uid", as uid: String, limit: Int = 100,
        betweenPages: ([String]) async throws -> Void = { _ in }
    ) async throws -> [String] {
        var (all, after): ([String], String) = ([], "")
        repeat {
            let separator = path.contains("?") ? "&" : "?"
            let page = try await get("\(path)\(separator)limit=\(limit)\(after)", as: uid)
            try #require(page.status == 200, "\(page.text)")
            all += (page.json[entries] as? [[String: Any]] ?? []).map { $0[field].map { "\($0)" } ?? "–" }
            after = page["next"].map { "&after=\($0)" } ?? ""
            try await betweenPages(all)
        } while !after.isEmpty
        return all
    }

    func friends(_ uid: String) async throws -> [String] {
        try await list("/v1/friends", "friends", as: uid)
    }

    func requests(_ direction: String, _ uid: String) async throws -> [String] {
        try await list("/v1/requests?direction=\(direction)", "requests", as: uid)
    }

    /// Inserts `count` users as if they had signed up: the usernames are `prefix` and a number from 0, the
    /// uids `u-` and the username.
    @discardableResult
    func people(_ prefix: String, _ count: Int) async throws -> [String] {
        let names = (0..<count).map { "\(prefix)\($0)" }
        let ids = names.map { User.ID(of: User.UID(stored: "u-\($0)")).uuid }
        try await db.write.batch([
            """
            INSERT INTO users (id, uid, username)
            SELECT id, 'u-' || name, name FROM unnest(\(ids), \(names)) AS p (id, name)
            """,
            """
            INSERT INTO usernames (user_id, name_key, state)
            SELECT id, name, 'active' FROM unnest(\(ids), \(names)) AS p (id, name)
            """,
            """
            INSERT INTO username_periods (user_id, name_key, username)
            SELECT id, name, name FROM unnest(\(ids), \(names)) AS p (id, name)
            """,
            """
            INSERT INTO signups (user_id, name_key, username, outcome, result)
            SELECT id, name, name, 'none', 'none' FROM unnest(\(ids), \(names)) AS p (id, name)
            """,
        ])
        return names.map { "u-\($0)" }
    }

    /// The number of pairs of users whose two rows contradict each other.
    func brokenMirrors() async throws -> Int {
        try await db.read.first(
            """
            WITH sides AS MATERIALIZED (
                SELECT user_id, other_id, i_want, they_want, i_block, they_block, since, asked_at, heard_at
                FROM relationships)
            SELECT count(*) FROM sides a
            LEFT JOIN sides b ON b.user_id = a.other_id AND b.other_id = a.user_id
            WHERE (a.i_want, a.they_want, a.i_block, a.they_block, a.since) IS DISTINCT FROM
                  (coalesce(b.they_want, false), coalesce(b.i_want, false), coalesce(b.they_block, false),
                   coalesce(b.i_block, false), b.since)
               OR (a.heard_at IS NOT NULL AND b.asked_at IS NULL)
            """
        ) { try $0.next() } ?? -1
    }

    /// Returns once a backend waits for a lock in this database.
    func untilSomebodyWaits() async throws {
        let waiting =
            TestPostgres.isOnCitus
            ? "citus_lock_waits"
            : "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        try await waitUntil("somebody waits for a lock") { try await count(waiting) > 0 }
    }

    /// The number of deadlocks that PostgreSQL counted.
    func deadlocks() async throws -> Int {
        try await db.read.first("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()") {
            try $0.next()
        } ?? -1
    }
}
