import Foundation

/// The body of a change of a custom link. What is absent stays as it is.
struct InviteChangeRequest: RequestBody, Sendable {
    /// Null or an empty text removes it.
    var label: String??
    var note: String??
    /// Null or 0 removes the limit.
    var maxUses: Int??
    /// Seconds from now; null or 0: never.
    var expiresIn: Int??
    var friendship: Invite.Mode?

    enum CodingKeys: CodingKey, CaseIterable { case label, note, maxUses, expiresIn, friendship }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        label = try values.textChange(forKey: .label)
        note = try values.textChange(forKey: .note)
        maxUses = try values.numberChange(forKey: .maxUses)
        expiresIn = try values.numberChange(forKey: .expiresIn)
        friendship =
            values.contains(.friendship) ? try values.decode(Invite.Mode.self, forKey: .friendship) : nil
    }

    func validated() throws(Problem) -> InviteChangeRequest {
        try InviteRequest.check(
            label: label ?? nil, note: note ?? nil, maxUses: maxUses ?? nil, expiresIn: expiresIn ?? nil)
        return self
    }
}
