import Foundation
package import Kernel
package import Postgres

/// Writes `relationships`, and reads single rows.
package struct FriendStore: Sendable {
    package var db: Database

    package init(db: Database) {
        self.db = db
    }

    /// One user of a pair, with their new wish and block. These are nil if they stay as they are.
    package struct Party: Sendable {
        package var uid: User.UID
        package var wants: Bool?
        var blocks: Bool?

        package init(uid: User.UID, wants: Bool? = nil, blocks: Bool? = nil) {
            self.uid = uid
            self.wants = wants
            self.blocks = blocks
        }

        var id: User.ID { User.ID(of: uid) }
    }

    /// Locks both users, checks the limits, and writes both rows of the pair, in one transaction. A second
    /// call changes nothing and returns the same. It does not check whether the other user exists.
    ///
    /// Throws a `FriendError`, or `AccountError.inactive`.
    func act(_ action: FriendAction, by uid: User.UID, on other: User.UID, _ limits: FriendLimits)
        async throws
        -> RelationshipRow
    {
        let me = Party(uid: uid, wants: action.wants, blocks: action.blocks)
        let other = Party(uid: other)
        // A wish ends nothing, but all other acts may.
        let mayEnd = action != .want
        var statements = mayEnd ? [UserStore.waitForImports] : []
        statements += Self.lock(me.id, and: other.id)
        if action == .want { statements += Self.requireRoom(for: me.id, and: other.id, limits) }
        if action == .block { statements.append(Self.requireRoomToBlock(other.id, by: me.id, limits)) }
        statements.append("SELECT require_mirror(\(me.id), \(other.id))")
        statements += Self.write(me, other, limits, isNew: action == .want || action == .block)
        if mayEnd {
            statements += [
                Self.forgetEnds(of: me.id, limits), Self.forgetEnds(of: other.id, limits),
                Self.forgetDeclines(of: me.id, limits),
            ]
        }
        statements.append(Self.row(of: me.id, to: other.id))
        let results = try await db.write.with(key: min(me.id, other.id)).batch(
            statements, throwing: FriendError.self, AccountError.self)
        return try results.last?.first(RelationshipRow.init(row:)) ?? RelationshipRow()
    }

    /// Locks the users of a pair, the smaller id first. Every change of relationships does this first.
    static func lock(_ me: User.ID, and other: User.ID) -> [Statement] {
        let statements = [UserStore.lockActive(me, else: AccountError.inactive), UserStore.lock(other)]
        return me < other ? statements : statements.reversed()
    }

    /// Ends the batch with a `FriendError` if one user may not ask the other now. It counts under the locks
    /// on both.
    ///
    /// With `isMutual` the other user consents by an invite. Then a user who is unwelcome to them gets
    /// `InviteOutcome.unwelcome`, but limits come first, as for anybody. A request to a suspended friend is a
    /// new one, like one to a user who never existed. Each statement reads the rows of one user: mine say
    /// what I see and what the other one wants, theirs mirror mine and also say whom they declined or parted
    /// from. `judged` is materialized, since PostgreSQL would otherwise count twice: for the condition and
    /// for its word.
    package static func requireRoom(
        for me: User.ID, and other: User.ID, isMutual: Bool = false, _ limits: FriendLimits
    ) -> [Statement] {
        [
            """
            WITH pair AS MATERIALIZED (
                SELECT i_want, they_want, i_block, they_block, since, they_away AND asked_at IS NULL AS is_hidden
                FROM relationships WHERE user_id = \(me) AND other_id = \(other)),
            judged AS MATERIALIZED (
                SELECT CASE
                    WHEN i_block THEN \(FriendError.unblockFirst)
                    WHEN since IS NOT NULL AND NOT is_hidden THEN NULL
                    WHEN \(isMutual) OR (since IS NULL AND they_want AND NOT they_block) THEN CASE
                        WHEN \(friendCount(of: me)) >= \(limits.friends) THEN \(FriendError.friendLimitSelf) END
                    WHEN since IS NULL AND i_want THEN NULL
                    WHEN (SELECT count(*) FROM relationships
                          WHERE user_id = \(me) AND asked_at IS NOT NULL) >= \(limits.requests)
                    THEN \(FriendError.requestLimitSelf) END AS outcome
                FROM (VALUES (1)) one LEFT JOIN pair ON true)
            SELECT require(outcome IS NULL, outcome) FROM judged
            """,
            """
            WITH pair AS MATERIALIZED (
                SELECT they_want AS i_want, i_want AS they_want, i_block AS they_block, since,
                       declines > 0 OR ended_at IS NOT NULL AS is_refused
                FROM relationships WHERE user_id = \(other) AND other_id = \(me)),
            judged AS MATERIALIZED (
                SELECT CASE
                    WHEN since IS NOT NULL THEN NULL
                    WHEN \(isMutual) OR (they_want AND NOT they_block) THEN CASE
                        WHEN \(friendCount(of: other)) >= \(limits.friends) THEN \(FriendError.friendLimitOther)
                        WHEN \(isMutual) AND (they_block OR (they_want IS NOT TRUE AND is_refused))
                        THEN \(InviteOutcome.unwelcome) END
                    WHEN i_want THEN NULL
                    WHEN (SELECT count(*) FROM relationships
                          WHERE user_id = \(other) AND heard_at IS NOT NULL) >= \(limits.requests)
                    THEN \(FriendError.requestLimitOther) END AS outcome
                FROM (VALUES (1)) one LEFT JOIN pair ON true)
            SELECT require(outcome IS NULL, outcome) FROM judged
            """,
        ]
    }

    /// Ends the batch with `block_limit` if the user is at the limit of blocks and this would be a new one.
    static func requireRoomToBlock(_ other: User.ID, by me: User.ID, _ limits: FriendLimits) -> Statement {
        """
        SELECT require(
            EXISTS (SELECT FROM relationships WHERE user_id = \(me) AND other_id = \(other) AND i_block)
            OR (SELECT count(*) FROM relationships WHERE user_id = \(me) AND blocked_at IS NOT NULL) < \(limits.blocks),
            \(FriendError.blockLimit))
        """
    }

    /// Writes both rows of a pair, the one with the smaller id first, which is the order in which all writes
    /// lock rows. The caller must have locked both users.
    /// - Parameter isNew: whether to insert missing rows.
    package static func write(_ one: Party, _ other: Party, _ limits: FriendLimits, isNew: Bool = true)
        -> [Statement]
    {
        let rows = [
            change(of: one, to: other, limits, isNew: isNew),
            change(of: other, to: one, limits, isNew: isNew),
        ]
        return one.id < other.id ? rows : rows.reversed()
    }

    private static func change(of me: Party, to other: Party, _ limits: FriendLimits, isNew: Bool)
        -> Statement
    {
        """
        SELECT change_relationship(
            \(me.id), \(other.id), \(other.uid), \(me.wants), \(me.blocks), \(other.wants), \(other.blocks),
            now(), \(limits.requests), \(limits.quietDays), \(isNew))
        """
    }

    static func row(of user: User.ID, to other: User.ID) -> Statement {
        """
        SELECT i_block, they_block, they_away, since, asked_at, heard_at
        FROM relationships WHERE user_id = \(user) AND other_id = \(other)
        """
    }

    func relationship(of user: User.ID, to other: User.ID) async throws -> RelationshipRow {
        try await db.read.first(Self.row(of: user, to: other), RelationshipRow.init(row:))
            ?? RelationshipRow()
    }
}

extension RelationshipRow {
    init(row: inout Row) throws {
        try self.init(
            iBlock: row.next(), theyBlock: row.next(), theyAway: row.next(),
            since: row.next(), askedAt: row.next(), heardAt: row.next())
    }
}
