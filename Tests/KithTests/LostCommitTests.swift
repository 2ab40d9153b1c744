import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kith
@testable import Web

/// The connection to PostgreSQL is cut at a COMMIT: the COMMIT or its answer is lost, and Kith cannot know
/// which.
@Suite(.inTurns) struct LostCommitTests {
    struct Write: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let call: @Sendable (TestApp) async throws -> TestApp.Answer
        /// The statuses of the first call, and of a retry of a call that was committed.
        let statuses: (first: Int, again: Int)
        /// A part of both answers.
        let answer: (path: String, text: String)
        /// The number of rows if the call was committed; there are none if not.
        let rows: [String: Int]
    }

    private static let writes = [
        Write(
            testDescription: "sign-up",
            call: {
                try await $0.post(
                    "/v1/signup", as: "u-cat",
                    ["username": "cat", "invite": ["username": "ann", "invitedBy": "u-ann"]])
            }, statuses: (201, 200), answer: ("invite.friendship", "friends"),
            rows: [
                "users WHERE uid = 'u-cat'": 1, "signups WHERE username = 'cat'": 1, "acceptances": 1,
                "usernames WHERE name_key = 'cat'": 1, "relationships WHERE since IS NOT NULL": 2,
            ]),
        Write(
            testDescription: "friend act", call: { try await $0.act(.want, "u-ann", on: "u-bob") },
            statuses: (200, 200), answer: ("relationship", "outgoing"),
            rows: ["relationships": 2, "relationships WHERE asked_at IS NOT NULL": 1]),
        Write(
            testDescription: "custom link",
            call: {
                try await $0.post(
                    "/v1/invites", as: "u-ann", headers: [.idempotencyKey: "k"], ["label": "poster"])
            }, statuses: (201, 201), answer: ("label", "poster"),
            rows: ["invites WHERE kind = 'custom'": 1, "invites_by_owner WHERE kind = 'custom'": 1]),
        Write(
            testDescription: "rename", call: { try await $0.rename("u-ann", to: "anna") },
            statuses: (200, 200), answer: ("username", "anna"),
            rows: [
                "usernames WHERE name_key = 'anna' AND state = 'active'": 1,
                "usernames WHERE name_key = 'ann' AND state = 'held'": 1,
                "username_periods WHERE valid_to IS NOT NULL": 1,
            ]),
    ]

    @Test(arguments: writes, [Proxy.Part.commit, .answer])
    func `a lost COMMIT, or a lost answer to it, is a 503, and a retry gets the only right answer`(
        write: Write, lost: Proxy.Part
    ) async throws {
        let database = try await TestPostgres.shared.migratedDatabase()
        let proxy = try Proxy(to: database)
        defer { proxy.close() }
        try await TestApp.run(configure: { $0.database.url = proxy.url(instead: database) }) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let before = try await app.footprint()

            proxy.loseNext(lost, by: .cut)
            let answer = try await write.call(app)
            try #require(proxy.losses == 1, "the case came up")
            #expect((answer.status, answer.code) == (503, "unavailable"))
            #expect(answer.headers[.retryAfter] == "1")
            let between = try await app.footprint()
            if lost == .commit {
                #expect(between == before, "nothing was written")
            } else {
                try await expectOnce(write, app)
            }

            let repeated = try await write.call(app)
            #expect(repeated.status == (lost == .commit ? write.statuses.first : write.statuses.again))
            #expect(repeated[write.answer.path] == write.answer.text)
            try await expectOnce(write, app)
            let after = try await app.footprint()
            if lost == .answer { #expect(after == between, "nothing was written again") }

            let last = try await write.call(app)
            #expect((last.status, last.bytes) == (write.statuses.again, repeated.bytes))
            #expect(try await app.footprint() == after)
            try await app.verify()
        }
    }

    private func expectOnce(_ write: Write, _ app: TestApp) async throws {
        for (rows, count) in write.rows { #expect(try await app.count(rows) == count, "\(rows)") }
    }
}
