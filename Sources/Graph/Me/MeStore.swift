import Kernel
package import Postgres

/// Reads what an app needs when it starts, except the caller's profile, in one round trip.
package struct MeStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    struct Start: Sendable {
        /// The user by whose invite this one signed up. Nil if there was no invite, or the inviter may not be
        /// seen.
        var invitedBy: User.Profile?
        /// The code of the permanent link. Nil if nobody asked for it yet.
        var code: Invite.Code?
        var counts = Counts()
        /// The history of usernames, without the names that are held.
        var history: UsernameHistory
    }

    /// How many entries the lists have.
    struct Counts: Encodable, Sendable {
        var friends = 0
        var incoming = 0
        var outgoing = 0
    }

    func start(of user: User.ID) async throws -> Start {
        let rows = try await db.lists.with(key: user).together([
            """
            WITH came AS MATERIALIZED (SELECT inviter_id FROM acceptances WHERE invitee_id = \(user)),
            \(UserStore.seen(in: "came", by: "inviter_id"))
            SELECT \(User.Profile.columns()) FROM seen
            """,
            "SELECT invite_code FROM users WHERE id = \(user)",
            Self.counts(of: user),
            UsernameStore.periods(of: user),
        ])
        return try Start(
            invitedBy: rows[0].first(User.Profile.init(row:)),
            code: rows[1].first { try $0.next(as: String?.self).map(Invite.Code.init(stored:)) } ?? nil,
            counts: rows[2].first(Counts.init(row:)) ?? Counts(),
            history: UsernameHistory(periods: rows[3], held: []))
    }

    /// Returns SQL for the counts. Each count reads one index, and is limited as the list is.
    static func counts(of user: User.ID) -> Statement {
        """
        SELECT \(FriendStore.visibleFriendCount(of: "\(user)")),
               (SELECT count(*) FROM relationships
                WHERE user_id = \(user) AND heard_at IS NOT NULL AND NOT they_away),
               (SELECT count(*) FROM relationships WHERE user_id = \(user) AND asked_at IS NOT NULL)
        """
    }
}

extension MeStore.Counts {
    fileprivate init(row: inout Row) throws {
        try self.init(friends: row.next(), incoming: row.next(), outgoing: row.next())
    }
}
