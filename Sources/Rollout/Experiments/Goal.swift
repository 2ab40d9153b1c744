import Kernel

/// A goal that a unit may reach, which an experiment counts once.
package struct Goal: Hashable, Sendable {
    let name: String

    /// Nil unless it is a key.
    package init?(_ name: String) {
        guard EntryKey.isOne(name) else { return nil }
        self.name = name
    }

    private init(builtIn name: String) { self.name = name }

    /// The visitor of a page went to a store.
    package static let tap = Goal(builtIn: "tap")
    /// The app claimed their invite at its first start.
    package static let install = Goal(builtIn: "install")
    /// The unit signed up with the invite.
    package static let signup = Goal(builtIn: "signup")
    /// The unit became a friend of the inviter by the invite.
    package static let friend = Goal(builtIn: "friend")

    /// The goals of the funnel of invites, which Kith counts itself.
    static let builtIn = [tap, install, signup, friend]
}
