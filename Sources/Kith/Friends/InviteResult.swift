/// What an invite brought about between the one who accepted it and the inviter.
enum InviteResult: String, Codable, Sendable {
    case friends, requested, none

    init(_ relationship: Relationship) {
        self =
            switch relationship {
            case .friends: .friends
            case .outgoing: .requested
            case .none, .incoming, .blocked: .none
            }
    }
}
