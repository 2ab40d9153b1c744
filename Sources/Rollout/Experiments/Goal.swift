import Kernel

/// What a unit may do that an experiment counts, once each.
package struct Goal: Hashable, Sendable {
    let name: String

    /// Nil unless it is a key.
    init?(_ name: String) {
        guard EntryKey.isOne(name) else { return nil }
        self.name = name
    }

    private init(builtIn name: String) { self.name = name }

    /// The visitor of a page went to a store.
    package static let tap = Goal(builtIn: "tap")
    /// The app claimed their invite at its first start.
    package static let install = Goal(builtIn: "install")
    /// They signed up by it.
    package static let signup = Goal(builtIn: "signup")
    /// They became a friend of the inviter by it.
    package static let friend = Goal(builtIn: "friend")

    /// The funnel of invites, which Kith counts itself.
    static let builtIn = [tap, install, signup, friend]
}
