import Foundation

/// Branches of the tree of invites, by how many joined them lately.
struct Branches {
    private var parents: [UUID: UUID] = [:]
    private(set) var joined: [UUID: Int] = [:]
    private(set) var direct: [UUID: Int] = [:]
    /// Of whom the next inviters are to be found, and how many joined below each.
    private(set) var open: [UUID: Int] = [:]

    /// - Parameter joinings: who joined by whose invite.
    init(_ joinings: [(invitee: UUID, inviter: UUID)]) {
        for joining in joinings {
            parents[joining.invitee] = joining.inviter
            direct[joining.inviter, default: 0] += 1
        }
        (joined, open) = (direct, direct)
    }

    /// Goes up to the inviters of those who are open. Who has none is the root of a tree.
    mutating func climb(_ inviters: [UUID: UUID]) {
        var above: [UUID: Int] = [:]
        for (user, count) in open {
            guard let inviter = inviters[user] else { continue }
            parents[user] = inviter
            above[inviter, default: 0] += count
            joined[inviter, default: 0] += count
        }
        open = above
    }

    /// Returns the users below whom most joined. A user stands for those above whose growth is for the most
    /// part theirs.
    func fastest(_ most: Int) -> [(user: UUID, joined: Int)] {
        var hidden: Set<UUID> = []
        for (user, count) in joined {
            guard let above = parents[user], let all = joined[above] else { continue }
            if 5 * count >= 4 * all { hidden.insert(above) }
        }
        return joined.filter { !hidden.contains($0.key) }
            .sorted { ($1.value, $0.key.uuidString) < ($0.value, $1.key.uuidString) }
            .prefix(most).map { ($0.key, $0.value) }
    }
}
