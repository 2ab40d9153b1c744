import Foundation
package import Kernel
package import Postgres
import Web

/// Reads who invited whom, and freezes whole branches.
package struct InviteTreeStore: Sendable {
    package var db: Database

    /// How many users to freeze in one transaction, and for how many to read the invitees in one statement.
    var branch = 1000

    package init(db: Database, branch: Int = 1000) {
        self.db = db
        self.branch = branch
    }

    /// Returns the users who signed up by the user's invites, newest first, without suspended and deleted
    /// ones.
    func invitees(of user: User.ID, after cursor: Cursor?, limit: Int) async throws -> ListPage<Invitee> {
        try await ListPage.hiding(after: cursor, limit: limit) { cursor, limit in
            try await rows(inviteesOf: user, after: cursor, limit: limit)
        }
    }

    private func rows(inviteesOf user: User.ID, after cursor: Cursor?, limit: Int) async throws -> [(
        cursor: Cursor, item: Invitee?
    )] {
        let lists = db.lists.with(key: user)
        let came = try await lists.query(
            """
            SELECT invitee_id, accepted_at FROM acceptances
            WHERE inviter_id = \(user)
              AND \(Cursor.page(behind: cursor, "accepted_at", "invitee_id", limit: limit))
            """
        ) { try (id: User.ID($0.next()), at: $0.next(as: Date.self)) }
        let ids = came.map(\.id)
        async let named = UserStore.profiles(of: Set(ids), on: lists)
        let relationships = try await FriendListStore(db: db).relationships(of: user, to: ids)
        let profiles = try await named
        return came.map { one in
            let relationship = relationships[one.id] ?? RelationshipRow()
            let profile = relationship.theyAway ? nil : profiles[one.id]
            let invitee = profile.map {
                Invitee($0, Arrival(at: one.at, relationship: relationship.relationship))
            }
            return (cursor: Cursor(at: one.at, id: one.id.uuid), item: invitee)
        }
    }

    /// Counts breadth first, up to `InviteTree.maxDepth` and `maxUsers`. Nil if the user never existed.
    func tree(below user: User.ID) async throws -> InviteTree? {
        guard let (root, invitedBy) = try await root(user) else { return nil }
        var (level, levels, total) = ([user.uuid], [InviteTree.Level](), 0)
        while !level.isEmpty, levels.count <= InviteTree.maxDepth, total <= InviteTree.maxUsers {
            var below: [UUID] = []
            for part in level.parts(of: branch) where total + below.count <= InviteTree.maxUsers {
                below += try await children(
                    of: part, atMost: InviteTree.maxUsers + 1 - total - below.count)
            }
            level = below
            total += below.count
            if !below.isEmpty { levels.append(.init(depth: levels.count + 1, users: below.count)) }
        }
        let isComplete = levels.count <= InviteTree.maxDepth && total <= InviteTree.maxUsers
        if levels.count > InviteTree.maxDepth { levels.removeLast() }
        return InviteTree(root: root, invitedBy: invitedBy, below: levels, isComplete: isComplete)
    }

    private func root(_ user: User.ID) async throws -> (InviteTree.Node, invitedBy: String?)? {
        let bulk = db.bulk.with(key: user)
        let rows = try await bulk.together([
            """
            SELECT uid, username, status, frozen_at, frozen_reason, NULL::timestamptz FROM users WHERE id = \(user)
            """,
            "SELECT inviter_id FROM acceptances WHERE invitee_id = \(user)",
        ])
        guard let root = try rows[0].first(InviteTree.Node.init(row:)) else { return nil }
        guard let inviter = try rows[1].first({ try User.ID($0.next()) }) else { return (root, nil) }
        let invitedBy = try await bulk.first("SELECT uid FROM users WHERE id = \(inviter)") {
            try $0.next(as: String.self)
        }
        return (root, invitedBy)
    }

    /// Returns all users who signed up by the user's invites, newest first, including deleted ones, each with
    /// how many they invited.
    func children(of user: User.ID, after cursor: Cursor?, limit: Int) async throws -> ListPage<
        InviteTree.Node
    > {
        let rows = try await db.bulk.with(key: user).query(
            """
            WITH page AS MATERIALIZED (
                SELECT invitee_id, accepted_at AS at FROM acceptances
                WHERE inviter_id = \(user)
                  AND \(Cursor.page(behind: cursor, "accepted_at", "invitee_id", limit: limit + 1)))
            SELECT page.invitee_id, page.at, u.uid, u.username, u.status, u.frozen_at, u.frozen_reason, page.at
            FROM page JOIN users u ON u.id = page.invitee_id
            ORDER BY page.at DESC, page.invitee_id
            """
        ) { row in
            let (id, at): (UUID, Date) = try (row.next(), row.next())
            return (at: at, id: id, item: try InviteTree.Node(row: &row))
        }
        let invited = try await invited(by: rows.map(\.id))
        let counted = rows.map { row in
            var row = row
            row.item.invited = invited[row.id] ?? 0
            return row
        }
        return ListPage(counted, limit: limit)
    }

    /// Returns how many signed up by the invites of each of these users.
    private func invited(by users: [UUID]) async throws -> [UUID: Int] {
        let rows = try await db.bulk.query(
            """
            SELECT inviter_id, count(*) FROM acceptances WHERE inviter_id = ANY(\(users)) GROUP BY inviter_id
            """
        ) { try ($0.next(as: UUID.self), Int($0.next(as: Int64.self))) }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}

/// Freezing.
///
/// It walks a branch from the top, each user once, and freezes it in parts, in the order of ids. A sign-up by
/// a member's link locks that member, so it commits before the member is frozen, or fails after. So the
/// children of a frozen member are complete, and are read after freezing it. On Citus that holds except for
/// the seconds after a lost COMMIT: docs/scale.md.
extension InviteTreeStore {
    /// Freezes the invites of the user and of everyone below. Users who are already frozen stay as they are,
    /// except that the top user's reason is always set. Deleted accounts are skipped.
    ///
    /// Returns how many users this call froze. Nil if the user never existed.
    package func freeze(_ user: User.ID, reason: OperatorReason, noting act: OperatorAct? = nil) async throws
        -> Int?
    {
        let known = try await db.bulk.run(UserStore.explainFreezing(of: user, by: reason.text))
        if known == 0, try await !exists(user) { return nil }
        return try await walk(from: user, noting: act) { UserStore.freeze($0, reason: reason.text) }
    }

    /// Unfreezes the user and everyone below, even branches that were frozen separately.
    ///
    /// Returns how many users this call changed. Nil if the user never existed.
    func unfreeze(_ user: User.ID, noting act: OperatorAct? = nil) async throws -> Int? {
        guard try await exists(user) else { return nil }
        return try await walk(from: user, noting: act, UserStore.unfreeze)
    }

    func exists(_ user: User.ID) async throws -> Bool {
        try await db.bulk.first("SELECT 1 FROM users WHERE id = \(user)") { try $0.next(as: Int.self) } != nil
    }

    /// Changes each part in its own transaction, one user after the other in the order in which all writes
    /// lock users. If a part fails, another call continues. The act is noted with the first part, which is
    /// the top.
    private func walk(
        from root: User.ID, noting act: OperatorAct?, _ change: (User.ID) -> Statement
    ) async throws -> Int {
        var (level, seen, total) = ([root.uuid], Set([root.uuid]), 0)
        var note = AuditStore.note(act)
        while !level.isEmpty {
            var below: [UUID] = []
            for part in level.parts(of: branch) {
                // The rows are locked first: on Citus a row that an earlier call has changed may still look
                // as it was.
                let users = part.map(User.ID.init).sorted()
                let statements =
                    [UserStore.waitForImports] + note + users.map(UserStore.lock) + users.map(change)
                note = []
                let results = try await db.bulk.batch(statements)
                total += results.suffix(users.count).reduce(0) { $0 + $1.affected }
                below += try await children(of: part).filter { seen.insert($0).inserted }
            }
            level = below
        }
        return total
    }

    func children(of users: [UUID], atMost limit: Int = .max) async throws -> [UUID] {
        var (all, last): ([UUID], UUID?) = ([], nil)
        while true {
            let size = min(Self.childrenAtOnce, limit - all.count)
            let some = try await db.bulk.query(
                """
                SELECT invitee_id FROM acceptances
                WHERE inviter_id = ANY(\(users)) AND (\(last)::uuid IS NULL OR invitee_id > \(last)::uuid)
                ORDER BY invitee_id LIMIT \(size)
                """
            ) { try $0.next(as: UUID.self) }
            all += some
            guard some.count == Self.childrenAtOnce, all.count < limit else { return all }
            last = some.last
        }
    }

    private static let childrenAtOnce = 20_000
}

extension InviteTree.Node {
    fileprivate init(row: inout Row) throws {
        uid = try row.next()
        let name: String = try row.next()
        status = try row.next()
        username = status == User.Status.deleted.rawValue ? nil : name
        let (frozenAt, reason): (Date?, String?) = try (row.next(), row.next())
        if let frozenAt, let reason { frozen = InviteTree.Freeze(at: frozenAt, reason: reason) }
        at = try row.next()
    }
}

extension [UUID] {
    func parts(of size: Int) -> [[UUID]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
