import Foundation

/// An extra link as its owner wants it.
struct InviteDraft: RequestBody, Sendable {
    var label: String?
    var maxUses: Int?
    /// Seconds.
    var expiresIn: Int?
    var friendship: Invite.Friendship

    static let fields: Set = ["label", "maxUses", "expiresIn", "friendship"]

    private enum CodingKeys: CodingKey {
        case label, maxUses, expiresIn, friendship
    }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        label = try values.decodeIfPresent(String.self, forKey: .label)
        maxUses = try values.integerIfPresent(forKey: .maxUses)
        expiresIn = try values.integerIfPresent(forKey: .expiresIn)
        friendship = try values.decodeIfPresent(Invite.Friendship.self, forKey: .friendship) ?? .auto
    }

    /// 1 to 100 characters of label, 1 to 1,000,000 uses, one minute to ten years.
    func validated() throws(Problem) -> InviteDraft {
        if let label, DisplayName(label)?.text != label {
            throw .malformed("It must be one line of 1 to 100 characters.", field: "label")
        }
        if let maxUses, !(1...1_000_000).contains(maxUses) {
            throw .malformed("It must be from 1 to 1,000,000.", field: "maxUses")
        }
        if let expiresIn, !(60...315_360_000).contains(expiresIn) {
            throw .malformed("It must be from 60 to 315,360,000 seconds.", field: "expiresIn")
        }
        return self
    }
}

/// One who came through a link.
struct Joined: Sendable {
    var profile: User.Profile
    var at: Date
}
