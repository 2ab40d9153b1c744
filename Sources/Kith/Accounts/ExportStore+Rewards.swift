import Foundation
import Postgres

extension Export {
    struct Reward: Encodable, Sendable {
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

    struct LedgerEntry: Encodable, Sendable {
        var kind: String
        var unit: String
        /// Below zero if it was taken from them.
        var amount: Int
        var at: Date
    }

    struct Referral: Encodable, Sendable {
        var program: String
        var signedUpAt: Date
        var qualifiedAt: Date?
    }

    struct RewardAction: Encodable, Sendable {
        var action: String
        var id: String
        var at: Date
    }

    /// Its value is a keyed hash, which tells nobody anything.
    struct RewardSignal: Encodable, Sendable {
        var kind: String
        var toldAt: Date
        var time: Date?
    }
}

/// What is kept of rewards.
extension ExportStore {
    /// Newest first, with what the user sees of a state.
    func rewards(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Reward> {
        try await part(
            of: user,
            """
            SELECT created_at, id::text, program, side, kind, unit, amount, replace(state, 'flagged', 'pending'), approved_at
            FROM rewards WHERE user_id = \(user) AND \(Cursor.page(behind: cursor, "created_at", "id", limit: rows))
            """
        ) { row, cursor in
            try Export.Reward(
                program: row.next(), side: row.next(), kind: row.next(), unit: row.next(),
                amount: Int(row.next(as: Int64.self)), state: row.next(), at: cursor.at,
                approvedAt: row.next())
        }
    }

    /// Newest first.
    func rewardLedger(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.LedgerEntry> {
        try await part(
            of: user,
            """
            SELECT at, id::text, kind, unit, amount * ((credit = 'user')::int - (debit = 'user')::int)
            FROM reward_postings WHERE user_id = \(user) AND \(Cursor.page(behind: cursor, "at", "id", limit: rows))
            """
        ) { row, cursor in
            try Export.LedgerEntry(
                kind: row.next(), unit: row.next(), amount: Int(row.next(as: Int64.self)), at: cursor.at)
        }
    }

    /// Of the user's own sign-up: at most as many as there are programs.
    func referrals(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.Referral> {
        try await part(
            of: user,
            """
            SELECT signed_up_at, program, program, qualified_at FROM referrals
            WHERE invitee_id = \(user) AND program > \(cursor?.key ?? "") ORDER BY program LIMIT \(rows)
            """
        ) { row, cursor in
            try Export.Referral(program: row.next(), signedUpAt: cursor.at, qualifiedAt: row.next())
        }
    }

    func rewardActions(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.RewardAction> {
        try await part(
            of: user,
            """
            SELECT at, action || ' ' || id, action, id FROM reward_actions
            WHERE user_id = \(user) AND at >= \(cursor?.at ?? .distantPast)
              AND (at > \(cursor?.at ?? .distantPast) OR action || ' ' || id > \(cursor?.key ?? ""))
            ORDER BY 1, 2 LIMIT \(rows)
            """
        ) { row, cursor in try Export.RewardAction(action: row.next(), id: row.next(), at: cursor.at) }
    }

    func rewardSignals(of user: User.ID, after cursor: Cursor?) async throws -> Part<Export.RewardSignal> {
        try await part(
            of: user,
            """
            SELECT told_at, kind, kind, time FROM reward_signals
            WHERE user_id = \(user) AND kind > \(cursor?.key ?? "") ORDER BY kind LIMIT \(rows)
            """
        ) { row, cursor in try Export.RewardSignal(kind: row.next(), toldAt: cursor.at, time: row.next()) }
    }
}
