import Foundation

/// The body of a request for a custom link.
struct InviteRequest: RequestBody, Encodable, Sendable {
    var label: String?
    var maxUses: Int?
    /// Seconds.
    var expiresIn: Int?
    var friendship: Invite.Mode

    enum CodingKeys: CodingKey, CaseIterable { case label, maxUses, expiresIn, friendship }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        label = try values.decodeIfPresent(String.self, forKey: .label)
        maxUses = try values.integerIfPresent(forKey: .maxUses)
        expiresIn = try values.integerIfPresent(forKey: .expiresIn)
        friendship = try values.decodeIfPresent(Invite.Mode.self, forKey: .friendship) ?? .auto
    }

    /// Checks that the label has 1 to 100 characters, the uses are 1 to 1,000,000, and the time is one minute to ten years.
    func validated() throws(Problem) -> InviteRequest {
        if let label, DisplayName(label)?.text != label {
            throw .invalid("label", "must be one line of 1 to 100 characters")
        }
        if let maxUses, !(1...1_000_000).contains(maxUses) {
            throw .invalid("maxUses", "must be from 1 to 1,000,000")
        }
        if let expiresIn, !(60...315_360_000).contains(expiresIn) {
            throw .invalid("expiresIn", "must be from 60 to 315,360,000 seconds")
        }
        return self
    }
}
