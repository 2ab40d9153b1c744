import Postgres

/// Changes the relationships of a user whose names or account change. The caller locks the user before.
///
/// Any number of users may block or ask a user. So these statements read and write only rows whose number is limited: those
/// of users whom the user wants, blocks or declined, and ended ones.
extension FriendStore {
    /// The others whose rows a change of a user concerns.
    enum Others {
        /// Whom the user wants: their rows repeat the user's names, or whether the user is away.
        case wanted
        /// Whom the user wants, blocks or declined, and those with whom nothing is left.
        case all
    }

    /// Reads the others and writes with them; begins again if more have come in between.
    @discardableResult
    func withOthers<Result>(
        _ which: Others, of user: User.ID, _ write: ([User.ID]) async throws -> Result
    ) async throws -> Result {
        for _ in 0..<9 {
            do {
                return try await write(others(which, of: user))
            } catch let error as PostgresError where error.outcome() == OthersOutcome.changed {
                continue
            }
        }
        return try await write(others(which, of: user))
    }

    /// The ids of the others, in order.
    private func others(_ which: Others, of user: User.ID) async throws -> [User.ID] {
        try await db.bulk.with(key: user).query(
            "SELECT other_id FROM (\(Self.others(which, of: user))) others ORDER BY other_id"
        ) { try User.ID($0.next()) }
    }

    private static func others(_ which: Others, of user: User.ID) -> Statement {
        let wanted: Statement = """
            SELECT other_id FROM relationships WHERE user_id = \(user) AND since IS NOT NULL
            UNION SELECT other_id FROM relationships WHERE user_id = \(user) AND asked_at IS NOT NULL
            """
        return switch which {
        case .wanted: wanted
        case .all:
            """
            \(wanted)
            UNION SELECT other_id FROM relationships WHERE user_id = \(user) AND blocked_at IS NOT NULL
            UNION SELECT other_id FROM relationships WHERE user_id = \(user) AND declines > 0
            UNION SELECT other_id FROM relationships
                  WHERE user_id = \(user) AND NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block
            """
        }
    }

    /// Ends the batch if others have come since they were read. It runs under the lock on the user,
    /// so none comes later.
    private static func requireNoMore(_ which: Others, than known: [User.ID], of user: User.ID) -> Statement {
        """
        SELECT require(NOT EXISTS (
            SELECT 1 FROM (\(others(which, of: user))) others WHERE other_id <> ALL(\(known.map(\.uuid)))),
            \(OthersOutcome.changed))
        """
    }

    /// Copies the user's names and whether they are away into the rows of those whom they want; all others see only the
    /// account's status. Nothing is lost, and on return everything is as before, except for what the others did meanwhile.
    ///
    /// For the others it is a change only if there was something to see, so that they do not learn of a block or a declined
    /// request.
    /// - Parameter wanted: as `others` read them before.
    static func copy(_ user: User.ID, to wanted: [User.ID]) -> [Statement] {
        [
            requireNoMore(.wanted, than: wanted, of: user),
            "SELECT copy_user(\(user), \(wanted.map(\.uuid)))",
        ]
    }

    /// Ends everything that the user wished, blocked or declined. Others keep their own requests and blocks, as if the
    /// account had never existed; of the user's own rows those stay that mirror them.
    ///
    /// Rows are written in the order of their keys, so that two accounts that are deleted at the same instant do not
    /// deadlock.
    /// - Parameter others: as `others` read them before.
    static func delete(_ user: User.ID, with others: [User.ID], _ limits: FriendLimits) -> [Statement] {
        let (smaller, greater) = (others.filter { $0 < user }, others.filter { user < $0 })
        let own: [Statement] = [
            """
            WITH mine AS MATERIALIZED (
                SELECT other_id FROM relationships WHERE user_id = \(user) AND (i_want OR i_block OR declines > 0)
                ORDER BY other_id FOR NO KEY UPDATE)
            UPDATE relationships r
            SET i_want = false, they_want = they_want AND since IS NULL, i_block = false,
                they_away = they_away AND since IS NULL, declines = 0, since = NULL, asked_at = NULL, heard_at = NULL,
                blocked_at = NULL, quiet_until = NULL, other_username = NULL, other_display_name = NULL,
                touched_at = now()
            FROM mine WHERE r.user_id = \(user) AND r.other_id = mine.other_id
            """,
            """
            DELETE FROM relationships
            WHERE user_id = \(user) AND NOT i_want AND NOT they_want AND NOT i_block AND NOT they_block
            """,
        ]
        return [requireNoMore(.all, than: others, of: user)]
            + endRows(of: smaller, about: user, limits) + own + endRows(of: greater, about: user, limits)
            + ["DELETE FROM dismissals WHERE user_id = \(user)"]
    }

    /// Ends the user's wish and block in the rows of others, and deletes those that no longer have to be reported; a client
    /// that knew the relationship still learns of its end.
    private static func endRows(of owners: [User.ID], about user: User.ID, _ limits: FriendLimits)
        -> [Statement]
    {
        let owners = owners.map(\.uuid)
        return [
            """
            SELECT change_relationship(
                owner, \(user), '', NULL, NULL, false, false, now(), \(limits.requests), \(limits.quietDays), false)
            FROM unnest(\(owners)) AS owners (owner)
            """,
            """
            DELETE FROM relationships
            WHERE user_id = ANY(\(owners)) AND other_id = \(user)
              AND NOT (i_want OR they_want OR i_block OR they_block) AND change = 0
            """,
        ]
    }
}

/// Others came after they were read.
private enum OthersOutcome: String, GuardOutcome {
    case changed = "others_changed"
}
