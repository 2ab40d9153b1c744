import Foundation
import Postgres

/// Writes `relationships`, and reads single rows.
struct FriendStore: Sendable {
    var db: Database

    /// One user of a pair, with their new wish and block; nil if they stay as they are.
    struct Party: Sendable {
        var uid: User.UID
        var wants: Bool?
        var blocks: Bool?

        var id: User.ID { User.ID(of: uid) }
    }

    /// In one transaction, locks both users, checks the limits, and writes both rows of the pair. A second call changes
    /// nothing and returns the same. It does not check whether the other user exists.
    ///
    /// Throws a `FriendError`, or `AccountError.inactive`.
    func act(_ action: FriendAction, by uid: User.UID, on other: User.UID, _ limits: FriendLimits)
        async throws
        -> RelationshipRow
    {
        let me = Party(uid: uid, wants: action.wants, blocks: action.blocks)
        let other = Party(uid: other)
        // A wish ends nothing; all other acts may.
        let mayEnd = action != .want
        var statements = mayEnd ? [UserStore.waitForImports] : []
        statements += Self.lock(me.id, and: other.id)
        if action == .want { statements.append(Self.requireRoom(for: me.id, and: other.id, limits)) }
        if action == .block { statements.append(Self.requireRoomToBlock(other.id, by: me.id, limits)) }
        statements += Self.write(me, other, limits, isNew: action == .want || action == .block)
        if mayEnd {
            statements += [
                Self.keepEnds(of: me.id, limits), Self.keepEnds(of: other.id, limits),
                Self.forgetDeclines(of: me.id, limits),
            ]
        }
        statements.append(Self.row(of: me.id, to: other.id))
        do {
            let results = try await db.write.with(key: min(me.id, other.id)).batch(statements)
            return try results.last?.first(RelationshipRow.init(row:)) ?? RelationshipRow()
        } catch let error as PostgresError {
            throw error.outcome(among: FriendError.self, AccountError.self)
        }
    }

    /// Locks the users of a pair, the smaller id first, as every change of relationships does first.
    private static func lock(_ me: User.ID, and other: User.ID) -> [Statement] {
        let statements = [UserStore.lockActive(me, else: AccountError.inactive), UserStore.lock(other)]
        return me < other ? statements : statements.reversed()
    }

    /// Ends the batch with a `FriendError` if one user may not ask the other now, counted under the locks on both.
    ///
    /// With `isMutual` the other user consents by an invite; then a user who is unwelcome to them gets
    /// `InviteOutcome.unwelcome`, but limits come first, as for anybody. It reads the other user's row, which mirrors mine and
    /// also has their declines. A request to a suspended friend is a new one, like one to a user who never existed. `judged`
    /// is materialized, since PostgreSQL would otherwise count twice: for the condition and for its word.
    static func requireRoom(
        for me: User.ID, and other: User.ID, isMutual: Bool = false, _ limits: FriendLimits
    ) -> Statement {
        """
        WITH pair AS MATERIALIZED (
            SELECT they_want AS i_want, i_want AS they_want, they_block AS i_block, i_block AS they_block,
                   since, declines AS their_declines
            FROM relationships WHERE user_id = \(other) AND other_id = \(me)),
        judged AS MATERIALIZED (
            SELECT CASE
                WHEN i_block THEN \(FriendError.unblockFirst)
                WHEN since IS NOT NULL AND NOT EXISTS (
                    SELECT FROM relationships WHERE user_id = \(me) AND other_id = \(other) AND they_away AND asked_at IS NULL)
                THEN NULL
                WHEN \(isMutual) OR (since IS NULL AND they_want AND NOT they_block) THEN CASE
                    WHEN \(friendCount(of: me)) >= \(limits.friends) THEN \(FriendError.friendLimitSelf)
                    WHEN \(friendCount(of: other)) >= \(limits.friends) THEN \(FriendError.friendLimitOther)
                    WHEN \(isMutual) AND (they_block OR (they_want IS NOT TRUE AND their_declines > 0))
                    THEN \(InviteOutcome.unwelcome) END
                WHEN since IS NULL AND i_want THEN NULL
                WHEN (SELECT count(*) FROM relationships
                      WHERE user_id = \(me) AND asked_at IS NOT NULL) >= \(limits.requests)
                THEN \(FriendError.requestLimitSelf)
                WHEN since IS NULL AND (SELECT count(*) FROM relationships
                                        WHERE user_id = \(other) AND heard_at IS NOT NULL) >= \(limits.requests)
                THEN \(FriendError.requestLimitOther) END AS outcome
            FROM (VALUES (1)) one LEFT JOIN pair ON true)
        SELECT require(outcome IS NULL, outcome) FROM judged
        """
    }

    /// Writes both rows of a pair, the one with the smaller id first, in the order in which all writes lock rows; the caller
    /// locks both users before. Every change of relationships by users goes through `relationship_after`, the table of
    /// transitions.
    /// - Parameter isNew: whether to insert missing rows.
    static func write(_ one: Party, _ other: Party, _ limits: FriendLimits, isNew: Bool = true) -> [Statement]
    {
        let rows = [
            upsert(of: one, to: other, limits, isNew: isNew),
            upsert(of: other, to: one, limits, isNew: isNew),
        ]
        return one.id < other.id ? rows : rows.reversed()
    }

    /// Writes one row. A repeated wish that is hidden, as after a decline, becomes visible only if there is room for one more
    /// request; its user cannot tell. All other requests were counted by `requireRoom`.
    ///
    /// `they_away` is true only while the other side wants, and no suspended user begins to want.
    private static func upsert(of me: Party, to other: Party, _ limits: FriendLimits, isNew: Bool)
        -> Statement
    {
        let (iWant, theyWant) = (me.wants ?? false, other.wants ?? false)
        let (iBlock, theyBlock) = (me.blocks ?? false, other.blocks ?? false)
        let areFriends = iWant && theyWant
        let after: Statement = """
            relationship_after(r, \(me.wants), \(me.blocks),
                               CASE WHEN \(other.wants) AND r.they_want AND r.since IS NULL AND r.heard_at IS NULL
                                         AND (SELECT count(*) FROM relationships
                                              WHERE user_id = \(me.id) AND heard_at IS NOT NULL) >= \(limits.requests)
                                    THEN NULL ELSE \(other.wants) END,
                               \(other.blocks), excluded.touched_at, pg_current_xact_id(), \(limits.quietDays)) a
            LEFT JOIN users u ON u.id = \(other.id) AND a.since IS NOT NULL
            """
        return """
            INSERT INTO relationships AS r (
                user_id, other_id, other_uid, other_username, other_display_name,
                i_want, they_want, i_block, they_block, since, asked_at, heard_at, blocked_at, changed_in)
            SELECT \(me.id), \(other.id), \(other.uid),
                   u.username, u.display_name,
                   \(iWant), \(theyWant), \(iBlock), \(theyBlock),
                   CASE WHEN \(areFriends) THEN now() END,
                   CASE WHEN \(iWant && !areFriends) THEN now() END,
                   CASE WHEN \(theyWant && !areFriends) THEN now() END,
                   CASE WHEN \(iBlock) THEN now() END,
                   CASE WHEN \(iWant || theyWant || iBlock) THEN pg_current_xact_id() ELSE '0' END
            FROM (VALUES (1)) one LEFT JOIN users u ON u.id = \(other.id) AND \(areFriends)
            WHERE \(isNew) OR EXISTS (
                SELECT FROM relationships WHERE user_id = \(me.id) AND other_id = \(other.id))
            ON CONFLICT (user_id, other_id) DO UPDATE
            \(transition(touchedAt: "excluded.touched_at", names: "u.username, u.display_name", from: after))
            WHERE r IS DISTINCT FROM relationship_after(
                r, \(me.wants), \(me.blocks), \(other.wants), \(other.blocks),
                excluded.touched_at, pg_current_xact_id(), \(limits.quietDays))
            """
    }

    /// Copies the user's changed names into the rows of their friends. Rows are locked in the order of `setAway`; the caller
    /// locks the user before.
    static func copyNames(of user: User.ID) -> Statement {
        """
        WITH mine AS MATERIALIZED (
            SELECT other_id FROM relationships WHERE user_id = \(user) AND since IS NOT NULL),
        theirs AS MATERIALIZED (
            SELECT r.user_id FROM mine JOIN relationships r ON r.user_id = mine.other_id AND r.other_id = \(user)
            ORDER BY r.user_id FOR NO KEY UPDATE OF r)
        UPDATE relationships r
        SET other_username = u.username, other_display_name = u.display_name
        FROM theirs, users u
        WHERE r.user_id = theirs.user_id AND r.other_id = \(user) AND u.id = \(user) AND r.since IS NOT NULL
          AND (r.other_username, r.other_display_name) IS DISTINCT FROM (u.username, u.display_name)
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
