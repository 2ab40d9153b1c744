import Foundation

/// How one user stands to another, as the first one sees it.
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
    /// Nil where their request is not to be shown.
    var heardAt: Date?

    /// A block, a decline and a suspension by the other side show as if nobody had answered.
    var relationship: Relationship {
        if iBlock { return .blocked }
        if since != nil && !theyAway { return .friends }
        if askedAt != nil { return .outgoing }
        return heardAt != nil && !theyAway ? .incoming : .none
    }

    /// Friends since, where it is to be seen.
    var visibleSince: Date? { relationship == .friends ? since : nil }
}
