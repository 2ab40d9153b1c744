/// What a unit may do that an experiment counts, once each.
struct Goal: Hashable, Sendable {
    let name: String

    /// Nil unless it is of lower-case letters, digits and hyphens.
    init?(_ name: String) {
        guard Goal.isKey(name) else { return nil }
        self.name = name
    }

    private init(builtIn name: String) { self.name = name }

    /// The visitor of a page went to a store.
    static let tap = Goal(builtIn: "tap")
    /// The app claimed their invite at its first start.
    static let install = Goal(builtIn: "install")
    /// They signed up by it.
    static let signup = Goal(builtIn: "signup")
    /// They became a friend of the inviter by it.
    static let friend = Goal(builtIn: "friend")

    /// The funnel of invites, which Kith counts itself.
    static let builtIn = [tap, install, signup, friend]

    /// Of a goal, an experiment and a variation: without a regular expression, which each call would parse.
    static func isKey(_ text: String) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        return (1...32).contains(text.utf8.count) && text.utf8.first.map(letters.contains) == true
            && text.utf8.allSatisfy { letters.contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
    }
}
