import Foundation
import Graph
package import Kernel
package import Postgres

/// What is kept about a user's sign-up.
extension SignupStore: UserDataStore {
    /// Rewrites the stored answers to sign-ups by the user's links: they become answers for an invite that
    /// leads to nobody.
    package static func forget(_ user: User.ID) -> [Statement] {
        [
            "DELETE FROM signups WHERE user_id = \(user)",
            """
            WITH came AS MATERIALIZED (SELECT invitee_id FROM acceptances WHERE inviter_id = \(user))
            UPDATE signups s
            SET outcome = 'ignored', reason = 'not_found', result = 'none',
                inviter_uid = NULL, inviter_username = NULL, inviter_display_name = NULL,
                inviter_avatar_url = NULL, inviter_metadata = NULL
            FROM came WHERE s.user_id = came.invitee_id AND s.outcome = 'accepted'
            """,
        ]
    }

    package static func export(into document: inout ExportDocument) async throws {
        try await document.add { reader in
            try await reader.first(
                """
                WITH \(InviteStore.absentInviter(of: reader.user))
                SELECT s.username, s.display_name, s.avatar_url, s.metadata, coalesce(absent.outcome, s.outcome),
                       coalesce(absent.reason, s.reason), coalesce(absent.result, s.result), s.created_at, s.link
                FROM signups s LEFT JOIN absent ON absent.user_id = s.user_id AND s.outcome = 'accepted'
                WHERE s.user_id = \(reader.user)
                """, Exported.init(row:))
        }
    }

    private struct Exported: Encodable, Sendable {
        var signUp: SignUp

        /// The request and the answer.
        struct SignUp: Encodable, Sendable {
            var username: String
            var displayName: String?
            var avatarUrl: String?
            var metadata: User.Metadata?
            var invite: String
            var reason: String?
            var friendship: String
            var at: Date
            var link: String?
        }

        init(row: inout Row) throws {
            signUp = try SignUp(
                username: row.next(), displayName: row.next(), avatarUrl: row.next(),
                metadata: row.next(as: String?.self).map(User.Metadata.init(stored:)), invite: row.next(),
                reason: row.next(), friendship: row.next(), at: row.next(),
                link: row.next())
        }
    }
}
