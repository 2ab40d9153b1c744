import Kernel

/// The followers on this server, by user and by holder, oldest first.
struct EventFollowers {
    private(set) var count = 0
    private var byUser: [User.ID: [EventFollower]] = [:]
    private var byHolder: [EventFollower.Holder: [EventFollower]] = [:]

    var all: [EventFollower] { byUser.values.flatMap(\.self) }

    func of(_ user: User.ID) -> [EventFollower] { byUser[user] ?? [] }

    func count(of holder: EventFollower.Holder) -> Int { byHolder[holder]?.count ?? 0 }

    mutating func add(_ follower: EventFollower) {
        count += 1
        byUser[follower.user, default: []].append(follower)
        byHolder[follower.holder, default: []].append(follower)
    }

    /// Removes a follower. Does nothing if it is already gone.
    mutating func remove(_ follower: EventFollower) {
        guard of(follower.user).contains(where: { $0 === follower }) else { return }
        count -= 1
        byUser[follower.user] = of(follower.user).without(follower)
        byHolder[follower.holder] = byHolder[follower.holder]?.without(follower)
    }

    /// Returns the oldest follower of the holder who has the most, if that is more than `count`. Nil if no
    /// holder has so many.
    func oldestOfMost(over count: Int) -> EventFollower? {
        let most = byHolder.max { $0.value.count < $1.value.count }?.value ?? []
        return most.count > count ? most.first : nil
    }
}

extension [EventFollower] {
    /// Returns the others. Nil if none is left.
    fileprivate func without(_ follower: EventFollower) -> [EventFollower]? {
        let rest = filter { $0 !== follower }
        return rest.isEmpty ? nil : rest
    }
}
