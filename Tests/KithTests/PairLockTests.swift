import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// Row 4 of "The order of locks" in docs/rules.md: of two users the one with the smaller id is locked first.
@Suite(.inTurns) struct PairLockTests {
    /// A call by a user about another.
    private typealias Call =
        @Sendable (_ app: TestApp, _ me: String, _ other: String) async throws -> TestApp.Answer

    private static let calls: [(name: String, call: Call)] = [
        (
            "accept a link",
            { app, me, other in
                try await app.post(
                    "/v1/invites/accept", as: me, TestApp.link(String(other.dropFirst(2)), other))
            }
        ),
        (
            "accept a code",
            { app, me, other in
                let code = try await app.get("/v1/me/invite", as: other)["code"] ?? ""
                return try await app.post("/v1/invites/accept", as: me, ["code": code])
            }
        ),
        ("want", { app, me, other in try await app.act(.want, me, on: other) }),
        ("unwant", { app, me, other in try await app.act(.unwant, me, on: other) }),
        ("block", { app, me, other in try await app.act(.block, me, on: other) }),
        ("unblock", { app, me, other in try await app.act(.unblock, me, on: other) }),
    ]

    @Test(arguments: calls.indices)
    func `a call about two users waits for the one with the smaller id, and holds nothing of the other`(
        number: Int
    ) async throws {
        let (name, call) = Self.calls[number]
        try await TestApp.run { app in
            let people = try await app.people("p", 2).sorted {
                User.ID(of: User.UID(stored: $0)) < User.ID(of: User.UID(stored: $1))
            }
            let (smaller, greater) = (
                User.ID(of: User.UID(stored: people[0])), User.ID(of: User.UID(stored: people[1]))
            )
            for (me, other) in [(people[0], people[1]), (people[1], people[0])] {
                try await app.db.withConnection { session in
                    try await session.script("BEGIN")
                    try await session.run("SELECT 1 FROM users WHERE id = \(smaller) FOR UPDATE")
                    async let answer = call(app, me, other)
                    try await waitUntil("\(name) by \(me) waits") {
                        try await app.db.read.first(
                            """
                            SELECT count(*) FROM pg_stat_activity
                            WHERE datname = current_database() AND wait_event_type = 'Lock'
                            """
                        ) { try $0.next(as: Int.self) } == 1
                    }
                    let free = try await session.run(
                        "SELECT 1 FROM users WHERE id = \(greater) FOR UPDATE SKIP LOCKED")
                    #expect(free == 1, "\(name) by \(me)")
                    try await session.script("ROLLBACK")
                    #expect(try await answer.status < 300, "\(name) by \(me)")
                }
            }
        }
    }
}
