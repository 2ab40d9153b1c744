import Foundation
package import Kernel
package import Postgres
import Web

/// What rewards store about a user.
extension RewardStore: UserDataStore {
    /// Ends the rewards that were to come for their invite, and removes what they had, so that nobody spends
    /// it.
    package static func forget(_ user: User.ID) -> [Statement] {
        [
            "DELETE FROM reward_actions WHERE user_id = \(user)",
            "DELETE FROM reward_signals WHERE user_id = \(user)",
            "UPDATE referrals SET left_at = now() WHERE invitee_id = \(user)",
            """
            UPDATE rewards SET state = 'voided', cause = 'deleted', change_id = \(UUID.random()), changed_at = now()
            WHERE user_id = \(user) AND state IN ('pending', 'flagged')
            """,
            "UPDATE rewards SET reasons = NULL WHERE user_id = \(user) AND reasons IS NOT NULL",
            """
            INSERT INTO reward_postings (user_id, id, kind, debit, credit, unit, amount)
            SELECT user_id, md5('forfeit ' || unit)::uuid, 'forfeit', 'user', 'forfeited', unit,
                   sum(amount * ((credit = 'user')::int - (debit = 'user')::int))::bigint
            FROM reward_postings WHERE user_id = \(user)
            GROUP BY user_id, unit HAVING sum(amount * ((credit = 'user')::int - (debit = 'user')::int)) > 0
            """,
        ]
    }

    package static func export(into document: inout ExportDocument) async throws {
        try await document.list("rewards") { reader, cursor in
            try await reader.part(
                """
                SELECT created_at, id::text, program, side, kind, unit, amount, replace(state, 'flagged', 'pending'), approved_at
                FROM rewards WHERE user_id = \(reader.user) AND \(Cursor.page(behind: cursor, "created_at", "id", limit: reader.rows))
                """
            ) { row, cursor in
                try ExportedReward(
                    program: row.next(), side: row.next(), kind: row.next(), unit: row.next(),
                    amount: Int(row.next(as: Int64.self)), state: row.next(), at: cursor.at,
                    approvedAt: row.next())
            }
        }
        try await document.list("rewardLedger") { reader, cursor in
            try await reader.part(
                """
                SELECT at, id::text, kind, unit, amount * ((credit = 'user')::int - (debit = 'user')::int)
                FROM reward_postings WHERE user_id = \(reader.user) AND \(Cursor.page(behind: cursor, "at", "id", limit: reader.rows))
                """
            ) { row, cursor in
                try ExportedEntry(
                    kind: row.next(), unit: row.next(), amount: Int(row.next(as: Int64.self)), at: cursor.at)
            }
        }
        try await document.list("referrals") { reader, cursor in
            try await reader.part(
                """
                SELECT signed_up_at, program, program, qualified_at FROM referrals
                WHERE invitee_id = \(reader.user) AND program > \(cursor?.key ?? "") ORDER BY program LIMIT \(reader.rows)
                """
            ) { row, cursor in
                try ExportedReferral(program: row.next(), signedUpAt: cursor.at, qualifiedAt: row.next())
            }
        }
        try await document.list("rewardActions") { reader, cursor in
            try await reader.part(
                """
                SELECT at, action || ' ' || id, action, id FROM reward_actions
                WHERE user_id = \(reader.user) AND at >= \(cursor?.at ?? .distantPast)
                  AND (at > \(cursor?.at ?? .distantPast) OR action || ' ' || id > \(cursor?.key ?? ""))
                ORDER BY 1, 2 LIMIT \(reader.rows)
                """
            ) { row, cursor in try ExportedAction(action: row.next(), id: row.next(), at: cursor.at) }
        }
        try await document.list("rewardSignals") { reader, cursor in
            try await reader.part(
                """
                SELECT told_at, kind, kind, time FROM reward_signals
                WHERE user_id = \(reader.user) AND kind > \(cursor?.key ?? "") ORDER BY kind LIMIT \(reader.rows)
                """
            ) { row, cursor in try ExportedSignal(kind: row.next(), toldAt: cursor.at, time: row.next()) }
        }
    }
}

/// The items of the lists.
extension RewardStore {
    private struct ExportedReward: Encodable, Sendable {
        var program: String
        /// Whether they are the inviter or the invitee.
        var side: String
        var kind: String
        var unit: String
        var amount: Int
        var state: String
        var at: Date
        var approvedAt: Date?
    }

    private struct ExportedEntry: Encodable, Sendable {
        var kind: String
        var unit: String
        /// The amount. It is below zero if it was taken from them.
        var amount: Int
        var at: Date
    }

    private struct ExportedReferral: Encodable, Sendable {
        var program: String
        var signedUpAt: Date
        var qualifiedAt: Date?
    }

    private struct ExportedAction: Encodable, Sendable {
        var action: String
        var id: String
        var at: Date
    }

    /// A signal. Its value is a keyed hash, which tells nobody anything, so it is left out.
    private struct ExportedSignal: Encodable, Sendable {
        var kind: String
        var toldAt: Date
        var time: Date?
    }
}
