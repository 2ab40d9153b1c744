import Foundation

/// The relationship of one user to another, as the first one sees it.
enum Relationship: String, Codable, Sendable {
    case none, outgoing, incoming, friends, blocked
}

/// A user's own row of the pair.
struct RelationshipRow: Equatable, Sendable {
    var iBlock = false
    var theyBlock = false
    var theyAway = false
    /// When they became friends.
    var since: Date?
    var askedAt: Date?
    /// When the other user asked. Nil if their request may not be shown.
    var heardAt: Date?

    /// The relationship as the user sees it. The other side's block, decline or suspension looks as if they
    /// had not answered.
    var relationship: Relationship {
        if iBlock { return .blocked }
        if since != nil && !theyAway { return .friends }
        if askedAt != nil { return .outgoing }
        return heardAt != nil && !theyAway ? .incoming : .none
    }

    /// When they became friends, if that may be seen.
    var visibleSince: Date? { relationship == .friends ? since : nil }
}
