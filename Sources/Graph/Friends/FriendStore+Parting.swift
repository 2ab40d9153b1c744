package import Kernel
import Postgres

/// Friendships that an operator ends.
extension FriendStore {
    private enum PartOutcome: String, GuardOutcome {
        case notFriends = "not_friends"
    }

    /// Ends a friendship in one transaction, as if the first of the two did, whatever their accounts are.
    /// False if they are not friends; then their requests and blocks stay as they are.
    package func part(_ one: User.UID, from other: User.UID, _ limits: FriendLimits) async throws -> Bool {
        let (party, otherParty) = (Party(uid: one, wants: false), Party(uid: other))
        let locks = [party.id, otherParty.id].sorted().map(UserStore.lock)
        let ends = [party.id, otherParty.id].map { Self.forgetEnds(of: $0, limits) }
        return try await db.bulk.with(key: min(party.id, otherParty.id)).batch(
            [UserStore.waitForImports] + locks
                + [
                    """
                    SELECT require(EXISTS (
                        SELECT FROM relationships
                        WHERE user_id = \(party.id) AND other_id = \(otherParty.id) AND since IS NOT NULL),
                        \(PartOutcome.notFriends))
                    """,
                    "SELECT require_mirror(\(party.id), \(otherParty.id))",
                ] + Self.write(party, otherParty, limits, isNew: false) + ends,
            unless: PartOutcome.notFriends) != nil
    }
}
