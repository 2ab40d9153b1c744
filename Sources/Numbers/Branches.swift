import Foundation

/// Who began what grew lately in the tree of invites.
///
/// A newcomer came by an invite lately. Each joining that is counted belongs to the first user on its way up
/// who is no newcomer, however long that way is. So it counts once.
struct Branches {
    /// The inviters of newcomers.
    private var inviters: [UUID: UUID] = [:]
    /// The newcomers whose joining is counted.
    private let counted: Set<UUID>
    /// How many of these came by whose invites.
    private(set) var direct: [UUID: Int] = [:]
    /// Inviters of whom it is not known yet whether they are newcomers.
    private(set) var open: Set<UUID>

    /// - Parameter joinings: who joined by whose invite, all of which are counted.
    init(_ joinings: [(invitee: UUID, inviter: UUID)]) {
        for joining in joinings {
            inviters[joining.invitee] = joining.inviter
            direct[joining.inviter, default: 0] += 1
        }
        counted = Set(inviters.keys)
        open = Set(inviters.values).subtracting(counted)
    }

    /// Goes up one step.
    /// - Parameter newcomers: those of the open ones who are newcomers, and by whom they came.
    mutating func climb(_ newcomers: [UUID: UUID]) {
        inviters.merge(newcomers) { known, _ in known }
        open = Set(newcomers.values).subtracting(inviters.keys)
    }

    /// Somebody who is no newcomer, with those who came below.
    struct Root {
        let user: UUID
        var joined = 0
        /// The newcomers who came by the user's own invites, and below whom others joined.
        var branches: [Branch] = []
    }

    struct Branch {
        let user: UUID
        /// How many joined below.
        let joined: Int
        /// With the user, if their own joining is counted.
        let whole: Int
    }

    /// Returns the roots, those below whom most joined first. It visits each newcomer once.
    func roots() -> [Root] {
        var (inviters, waiting, joined) = (inviters, [UUID: Int](), [UUID: Int]())
        for inviter in inviters.values { waiting[inviter, default: 0] += 1 }
        func sum(from ready: [UUID]) {
            var ready = ready
            while let user = ready.popLast() {
                guard let inviter = inviters[user] else { continue }
                joined[inviter, default: 0] += joined[user, default: 0] + (counted.contains(user) ? 1 : 0)
                waiting[inviter, default: 1] -= 1
                if waiting[inviter] == 0 { ready.append(inviter) }
            }
        }
        sum(from: inviters.keys.filter { waiting[$0] == nil })
        // Only an import can have made circles, in which everybody waits. Each is cut open somewhere.
        let circles = waiting.filter { $0.value > 0 }.keys.sorted { $0.uuidString < $1.uuidString }
        for user in circles where waiting[user] != 0 {
            guard let inviter = inviters.removeValue(forKey: user) else { continue }
            waiting[inviter] = 0
            sum(from: [inviter])
        }
        var roots: [UUID: Root] = [:]
        for (user, inviter) in inviters where inviters[inviter] == nil {
            let below = joined[user, default: 0]
            roots[inviter, default: Root(user: inviter, joined: joined[inviter, default: 0])].add(
                Branch(user: user, joined: below, whole: below + (counted.contains(user) ? 1 : 0)))
        }
        return roots.values.sorted { ($1.joined, $0.user.uuidString) < ($0.joined, $1.user.uuidString) }
    }
}

extension Branches.Root {
    fileprivate mutating func add(_ branch: Branches.Branch) {
        if branch.joined > 0 { branches.append(branch) }
    }

    /// The branches that are told by themselves if the user brought others long before: they hold a fifth of
    /// what grew, or twenty joined in them.
    var apart: [Branches.Branch] { branches.filter { 5 * $0.whole >= joined || $0.joined >= 20 } }

    /// Returns who is told, and how many joined below each. No joining is in two of them.
    /// - Parameter isBystander: whether the user brought others long before. Then they stand aside for a
    ///   branch that holds four fifths.
    func told(isBystander: Bool) -> [(user: UUID, joined: Int)] {
        guard isBystander else { return [(user, joined)] }
        let apart = apart
        let rest = joined - apart.reduce(0) { $0 + $1.joined }
        let isAside = apart.contains { 5 * $0.whole >= 4 * joined }
        return apart.map { ($0.user, $0.joined) } + (isAside ? [] : [(user, rest)])
    }
}
