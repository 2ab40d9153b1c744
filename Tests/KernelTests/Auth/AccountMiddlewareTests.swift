import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting

/// Errors about the caller's account that the table of `CallerTableTests` does not have.
@Suite(.inTurns) struct AccountMiddlewareTests {
    private static let link: Body = ["username": "bob", "invitedBy": "u-bob"]
    private static let writes: [(HTTPRequest.Method, String, Body?)] = [
        (.put, "/v1/friends/u-bob", nil), (.delete, "/v1/friends/u-bob", nil),
        (.put, "/v1/blocks/u-bob", nil),
        (.delete, "/v1/blocks/u-bob", nil), (.delete, "/v1/suggestions/u-bob", nil),
        (.post, "/v1/invites/accept", link), (.put, "/v1/me/username", ["username": "anna"]),
        (.post, "/v1/invites", [:]), (.post, "/v1/me/invite/rotate", nil),
    ]

    @Test func `an account that a write finds suspended, and that is in force again, is a 409 and no outage`()
        async throws
    {
        try await TestApp.run { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            // As if the account were suspended during that statement alone.
            _ = try await app.db.write.run(
                """
                CREATE OR REPLACE FUNCTION require(met boolean, outcome text) RETURNS boolean LANGUAGE plpgsql AS $$
                BEGIN
                    IF met AND outcome NOT IN ('account_inactive', 'not_active', 'has_code') THEN RETURN true; END IF;
                    RAISE EXCEPTION USING ERRCODE = 'KT001', MESSAGE = outcome;
                END $$
                """)
            for (method, path, body) in Self.writes {
                let answer = try await app.call(method, path, as: "u-ann", body: body)
                #expect(answer.status == 409, "\(method) \(path): \(answer.text)")
                #expect(answer.code == "changed_meanwhile", "\(method) \(path)")
            }
        }
    }

    @Test(
        arguments: [
            (.patch, "/v1/me", ["nonsense": 1]), (.get, "/v1/me/usernames?limit=x", nil),
            (.get, "/v1/friends/u-ann/mutual", nil), (.get, "/v1/me/changes?after=x", nil),
        ] as [(HTTPRequest.Method, String, Body?)])
    func `a caller without an account is told that, and not what else is wrong`(
        method: HTTPRequest.Method, path: String, body: Body?
    ) async throws {
        try await TestApp.run { app in
            let answer = try await app.call(method, path, as: "u-ann", body: body)
            #expect(answer.code == "not_signed_up", "\(answer.text)")
        }
    }
}
