import Foundation
package import Kernel
package import Postgres
import Web

/// What is kept about a user's links, and about who joined by them.
extension InviteStore: UserDataStore {
    /// Revokes the links and removes their labels and notes.
    package static func forget(_ user: User.ID) -> [Statement] {
        [
            """
            WITH codes AS MATERIALIZED (SELECT code FROM invites_by_owner WHERE owner_id = \(user)),
            found AS MATERIALIZED (SELECT i.code FROM codes JOIN invites i ON i.code = codes.code)
            SELECT require_row((SELECT count(*) FROM codes) = (SELECT count(*) FROM found), 'invite of a code')
            """,
            """
            WITH codes AS MATERIALIZED (
                SELECT code FROM invites_by_owner WHERE owner_id = \(user)
                UNION SELECT invite_code FROM users WHERE id = \(user))
            UPDATE invites i SET revoked_at = now() FROM codes WHERE i.code = codes.code AND i.revoked_at IS NULL
            """,
            """
            WITH codes AS MATERIALIZED (SELECT code FROM invites_by_owner WHERE owner_id = \(user))
            UPDATE invites i SET label = NULL, note = NULL FROM codes
            WHERE i.code = codes.code AND (i.label IS NOT NULL OR i.note IS NOT NULL)
            """,
            """
            UPDATE invites_by_owner SET idempotency_key = NULL, request_sha256 = NULL, answer = NULL
            WHERE owner_id = \(user) AND idempotency_key IS NOT NULL
            """,
        ]
    }

    package static func export(into document: inout ExportDocument) async throws {
        try await document.add { reader in
            try await reader.first(
                """
                WITH came AS MATERIALIZED (
                    SELECT inviter_id, code, accepted_at FROM acceptances WHERE invitee_id = \(reader.user)),
                \(UserStore.seen(in: "came", by: "inviter_id"))
                SELECT \(User.Profile.columns("seen.")), came.code, came.accepted_at
                FROM came LEFT JOIN seen ON seen.id = came.inviter_id
                """, ExportedOrigin.init(row:))
        }
        try await document.list("invitees") { reader, cursor in
            try await reader.part(
                """
                WITH came AS MATERIALIZED (
                    SELECT invitee_id AS id, accepted_at AS at, code FROM acceptances
                    WHERE inviter_id = \(reader.user)
                      AND \(Cursor.page(behind: cursor, "accepted_at", "invitee_id", limit: reader.rows))),
                \(UserStore.seen(in: "came", by: "id"))
                SELECT came.at, came.id::text, \(User.Profile.columns("seen.")), came.code
                FROM came LEFT JOIN seen ON seen.id = came.id
                ORDER BY came.at DESC, came.id
                """, ExportedPerson.visible)
        }
        try await exportLinks(into: &document)
        try await document.list("usedLinks") { reader, cursor in
            try await reader.part(
                """
                SELECT used_at, code FROM invite_uses
                WHERE user_id = \(reader.user) AND used_at >= \(cursor?.at ?? .distantPast)
                  AND (used_at > \(cursor?.at ?? .distantPast) OR code > \(cursor?.key ?? ""))
                ORDER BY used_at, code LIMIT \(reader.rows)
                """
            ) { _, cursor in ExportedUse(code: cursor.key, at: cursor.at) }
        }
    }

    /// Writes the links, sorted by code, each with the users who joined by it.
    private static func exportLinks(into document: inout ExportDocument) async throws {
        try await document.list("invites") { reader, cursor in
            try await reader.part(
                """
                WITH mine AS MATERIALIZED (
                    SELECT code, idempotency_key FROM invites_by_owner
                    WHERE owner_id = \(reader.user) AND code > \(cursor?.key ?? "") ORDER BY code LIMIT \(reader.rows))
                SELECT i.created_at, mine.code, i.kind = 'personal', i.mode, i.label, i.note, i.max_uses, i.uses,
                       i.expires_at, i.revoked_at, mine.idempotency_key
                FROM mine JOIN invites i ON i.code = mine.code ORDER BY mine.code
                """
            ) { row, cursor in
                try ExportedLink(
                    code: cursor.key, kind: row.next() ? "personal" : "custom", friendship: row.next(),
                    label: row.next(), note: row.next(),
                    maxUses: row.next(), uses: row.next(), expiresAt: row.next(), revokedAt: row.next(),
                    createdAt: cursor.at, idempotencyKey: row.next())
            }
        } more: { link, document in
            try await document.list("joined") { reader, cursor in
                guard link.uses > 0 else { return ExportReader.Part(items: [ExportedPerson]()) }
                return try await reader.part(
                    """
                    WITH uses AS MATERIALIZED (
                        SELECT user_id AS id, used_at AS at FROM invite_uses
                        WHERE code = \(link.code) AND \(Cursor.page(behind: cursor, "used_at", "user_id", limit: reader.rows))),
                    \(UserStore.seen(in: "uses", by: "id"))
                    SELECT uses.at, uses.id::text, \(User.Profile.columns("seen.")), \(link.code)::text
                    FROM uses LEFT JOIN seen ON seen.id = uses.id
                    ORDER BY uses.at DESC, uses.id
                    """, ExportedPerson.visible)
            }
        }
    }
}

private typealias ExportedPerson = User.Listed<ExportedJoining>

private struct ExportedJoining: Encodable, Sendable {
    var at: Date
    /// The link's code. Nil for the permanent link.
    var code: String?
}

extension ExportedPerson {
    fileprivate static func visible(_ row: inout Row, _ cursor: Cursor) throws -> Self? {
        guard let user = try User.Profile(seen: &row) else { return nil }
        return try Self(user, .init(at: cursor.at, code: row.next()))
    }
}

extension InviteStore {
    private struct ExportedOrigin: Encodable, Sendable {
        var invitedBy: InvitedBy

        /// The invite by which the user signed up.
        struct InvitedBy: Encodable, Sendable {
            /// The inviter. Nil if they may not be seen.
            var inviter: User.Profile?
            /// The link's code. Nil for the permanent link.
            var code: String?
            var at: Date
        }

        init(row: inout Row) throws {
            invitedBy = try InvitedBy(inviter: User.Profile(seen: &row), code: row.next(), at: row.next())
        }
    }

    private struct ExportedLink: Encodable, Sendable {
        var code: String
        /// `personal` for a short code of the permanent link, or `custom`.
        var kind: String
        var friendship: String
        var label: String?
        var note: String?
        var maxUses: Int?
        var uses: Int
        var expiresAt: Date?
        var revokedAt: Date?
        var createdAt: Date
        var idempotencyKey: String?
    }

    private struct ExportedUse: Encodable, Sendable {
        var code: String
        var at: Date
    }
}
