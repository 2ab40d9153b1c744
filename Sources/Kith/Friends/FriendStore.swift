import Foundation
import Postgres

/// What changes `relationships`, and the one row of a pair.
struct FriendStore: Sendable {
    var db: Database

    /// One of a pair, with what an act makes of their wish and their block; nil: it stays as it is.
    struct Party: Sendable {
        var uid: User.UID
        var wants: Bool?
        var blocks: Bool?

        var id: User.ID { User.ID(of: uid) }
    }

    /// One transaction: both users locked, the limits looked at, both rows of the pair. The second call
    /// changes nothing and gives the same. It does not look whether the other one exists.
    ///
    /// Throws a `FriendError`, or `AccountError.inactive`.
    func act(_ action: FriendAction, by uid: User.UID, on other: User.UID, _ limits: FriendLimits)
        async throws
        -> RelationshipRow
    {
        let me = Party(uid: uid, wants: action.wants, blocks: action.blocks)
        let other = Party(uid: other)
        // A wish ends nothing, and all else may end something.
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

    /// Locks the users of a pair, the smaller id first; whoever changes relationships does so before.
    private static func lock(_ me: User.ID, and other: User.ID) -> [Statement] {
        let statements = [UserStore.lockActive(me, else: AccountError.inactive), UserStore.lock(other)]
        return me < other ? statements : statements.reversed()
    }

    /// Ends the batch with a `FriendError` where one may not ask the other now, counted under the lock
    /// on both users. `isMutual`: the other one wants it too, by an invite; then whoever is not welcome to them
    /// is `InviteOutcome.unwelcome`, but hears first of limits, as anybody does. The other one's row mirrors mine, and knows their
    /// declines besides. To ask a friend who is away is to ask anew, as one would ask somebody who never was.
    /// `judged` is materialized, since PostgreSQL would otherwise count twice: for the test and for its word.
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

    /// Both rows of a pair, the one with the smaller id first, as all that locks rows takes them; whoever acts
    /// holds both users by then. All that changes relationships is written here, by `relationship_after`, the
    /// table of transitions.
    /// - Parameter isNew: whether rows are made where there are none yet.
    static func write(_ one: Party, _ other: Party, _ limits: FriendLimits, isNew: Bool = true) -> [Statement]
    {
        let rows = [
            upsert(of: one, to: other, limits, isNew: isNew),
            upsert(of: other, to: one, limits, isNew: isNew),
        ]
        return one.id < other.id ? rows : rows.reversed()
    }

    /// A wish that is there already and does not show, as after a decline, begins to show only if there is room for
    /// one more; whoever repeats it is told nothing. All others who ask were counted by `requireRoom`.
    ///
    /// The other side is away only while it wants, and nobody begins to want who is suspended.
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

    /// Writes the user's names, just changed, beside every friendship. Rows are locked in the order of
    /// `show`; that of the user themselves is locked before.
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
