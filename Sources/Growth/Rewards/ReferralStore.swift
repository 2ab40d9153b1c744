import Foundation
import Kernel
package import Postgres

/// Every statement on `referrals` and `reward_actions`, except those of `RewardStore+UserData.swift`.
package struct ReferralStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// Adds a user who joined while the programs ran. A repeated call changes nothing, and neither does one
    /// for a deleted account.
    func add(_ invitee: User.ID, by inviter: User.ID, at signUp: Date, to programs: [RewardProgram])
        async throws
    {
        for program in programs {
            let qualified: Date? = program.qualification == .signedUp ? signUp : nil
            try await db.write.batch(
                [
                    """
                    INSERT INTO referrals (invitee_id, program, inviter_id, signed_up_at, qualified_at)
                    SELECT id, \(program.key), \(inviter), \(signUp), \(qualified)
                    FROM users WHERE id = \(invitee) AND status <> 'deleted'
                    ON CONFLICT DO NOTHING
                    """
                ] + Self.qualify(invitee, in: program))
        }
    }

    /// Returns statements that qualify the invitee if the backend reported enough actions, perhaps before
    /// their sign-up was noticed.
    private static func qualify(_ invitee: User.ID, in program: RewardProgram) -> [Statement] {
        let isEnough: Statement
        switch program.qualification {
        case .signedUp, .purchase: return []
        case .actions(let name, let times):
            isEnough = """
                (SELECT count(*) FROM reward_actions a WHERE a.user_id = \(invitee) AND a.action = \(name)
                 AND a.at >= referrals.signed_up_at) >= \(times)
                """
        case .days(let days):
            isEnough = """
                (SELECT count(DISTINCT (a.at AT TIME ZONE 'UTC')::date) FROM reward_actions a WHERE a.user_id = \(invitee)
                 AND a.at >= referrals.signed_up_at) >= \(days)
                """
        }
        return [
            """
            UPDATE referrals SET qualified_at = now()
            WHERE invitee_id = \(invitee) AND program = \(program.key) AND qualified_at IS NULL AND ended_at IS NULL AND left_at IS NULL
              AND signed_up_at > now() - \(program.within) * interval '1 day' AND \(isEnough)
            """
        ]
    }

    /// Adds an action of an invitee. The same id again changes nothing. Nothing is kept about users whom
    /// nobody invited within a year. Throws `AccountError.inactive`.
    func add(
        _ action: String, id: String, of user: User.ID, at time: Date, for programs: [RewardProgram]
    ) async throws {
        try await db.write.with(key: user).batch(
            [
                UserStore.lockActive(user, else: AccountError.inactive),
                """
                INSERT INTO reward_actions (user_id, action, id, at)
                SELECT invitee_id, \(action), \(id), \(time) FROM acceptances
                WHERE invitee_id = \(user) AND accepted_at > now() - interval '1 year'
                ON CONFLICT DO NOTHING
                """,
            ] + programs.flatMap { Self.qualify(user, in: $0) }, throwing: AccountError.self)
    }

    /// Qualifies an invitee by a purchase that a program asks for. It must have begun after the sign-up and
    /// in time, and have qualified nobody else before, not even a user whose account is deleted. A repeated
    /// call changes nothing.
    func qualify(
        _ invitee: User.ID, by purchase: String, began: Date, at time: Date, in program: RewardProgram
    ) async throws {
        // Only one server at a time follows events, one after the other, so nobody writes in between.
        let other = try await db.read.ofPrimary.first(
            """
            SELECT true FROM referrals WHERE purchase = \(purchase) AND program = \(program.key) AND invitee_id <> \(invitee) LIMIT 1
            """
        ) { try $0.next(as: Bool.self) }
        guard other == nil else { return }
        try await db.write.run(
            """
            UPDATE referrals SET qualified_at = \(time), purchase = \(purchase)
            WHERE invitee_id = \(invitee) AND program = \(program.key) AND qualified_at IS NULL AND ended_at IS NULL AND left_at IS NULL
              AND signed_up_at <= \(began) AND signed_up_at > \(began) - \(program.within) * interval '1 day'
            """)
    }

    /// Notes whether a purchase is refunded, and returns the referrals that it had qualified. A repeated call
    /// changes nothing.
    func setRefund(of purchase: String, _ isRefunded: Bool) async throws -> [Referral] {
        let change: Statement =
            isRefunded
            ? "SET refunded_at = now() WHERE refunded_at IS NULL"
            : "SET refunded_at = NULL WHERE refunded_at IS NOT NULL"
        try await db.write.run(
            "UPDATE referrals \(change) AND purchase = \(purchase)")
        return try await db.read.ofPrimary.query(
            "SELECT \(Self.columns) FROM referrals WHERE purchase = \(purchase)", Referral.init(row:))
    }

    /// Returns the purchases of users who deleted their account within a year, and which of them are
    /// refunded, as far as is known here.
    func purchasesOfDeleted() async throws -> [(purchase: String, isRefunded: Bool)] {
        try await db.bulk.query(
            """
            SELECT purchase, bool_or(refunded_at IS NOT NULL) FROM referrals
            WHERE left_at > now() - interval '1 year' AND purchase IS NOT NULL GROUP BY purchase
            """
        ) { try ($0.next(), $0.next()) }
    }

    func areAny() async throws -> Bool {
        try await db.read.ofPrimary.first("SELECT true FROM referrals LIMIT 1") { try $0.next() } ?? false
    }

    /// Returns all referrals of an invitee.
    func list(of invitee: User.ID) async throws -> [Referral] {
        try await db.read.ofPrimary.query(
            "SELECT \(Self.columns) FROM referrals WHERE invitee_id = \(invitee) ORDER BY program",
            Referral.init(row:))
    }

    /// Returns the referrals whose rewards must be made, oldest first.
    func due(in programs: [String], limit: Int) async throws -> [Referral] {
        try await db.lists.ofPrimary.query(
            """
            SELECT \(Self.columns) FROM referrals
            WHERE qualified_at IS NOT NULL AND made_at IS NULL AND refunded_at IS NULL AND left_at IS NULL
              AND program = ANY(\(programs))
            ORDER BY qualified_at LIMIT \(limit)
            """, Referral.init(row:))
    }

    func setMade(_ referral: Referral) async throws {
        try await db.write.run(
            """
            UPDATE referrals SET made_at = now()
            WHERE invitee_id = \(referral.invitee) AND program = \(referral.program) AND qualified_at IS NOT NULL AND made_at IS NULL
            """)
    }

    /// Ends the referrals that did not qualify in time, and forgets actions that no longer count.
    func endLate(_ program: RewardProgram) async throws {
        try await db.write.run(
            """
            UPDATE referrals SET ended_at = now()
            WHERE program = \(program.key) AND qualified_at IS NULL AND ended_at IS NULL
              AND left_at IS NULL AND signed_up_at < now() - \(program.within) * interval '1 day'
            """)
    }

    func forgetActions() async throws {
        try await db.write.run("DELETE FROM reward_actions WHERE at < now() - interval '1 year'")
    }

    static let columns: Statement =
        "invitee_id, program, inviter_id, signed_up_at, qualified_at, refunded_at, left_at"
}

extension Referral {
    fileprivate init(row: inout Row) throws {
        invitee = try User.ID(row.next())
        program = try row.next()
        inviter = try User.ID(row.next())
        (signedUpAt, qualifiedAt) = try (row.next(), row.next())
        (refundedAt, leftAt) = try (row.next(), row.next())
    }
}
