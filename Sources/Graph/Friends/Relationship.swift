import Foundation

/// The relationship of one user to another, as the first one sees it.
enum Relationship: String, Codable, Sendable {
    case none, outgoing, incoming, friends, blocked
}

/// A user's own row of a pair.
struct RelationshipRow: Equatable, Sendable {
    var iBlock = false
    var theyBlock = false
    var theyAway = false
    /// Friends since.
    var since: Date?
    var askedAt: Date?
    /// Nil if their request may not be shown.
    var heardAt: Date?

    /// The other side's block, decline or suspension looks as if they had not answered.
    var relationship: Relationship {
        if iBlock { return .blocked }
        if since != nil && !theyAway { return .friends }
        if askedAt != nil { return .outgoing }
        return heardAt != nil && !theyAway ? .incoming : .none
    }

    /// When they became friends, if that may be seen.
    var visibleSince: Date? { relationship == .friends ? since : nil }
}
