import Foundation
import Web

/// The body of a change of a custom link. What is absent stays as it is.
struct InviteChangeRequest: JSONBody, Sendable {
    /// The new label. An empty text removes it.
    var label: String??
    var note: String??
    /// The new limit of uses. 0 removes the limit.
    var maxUses: Int??
    /// When it expires, in seconds from now. 0 means never.
    var expiresIn: Int??
    var friendship: Invite.Mode?

    enum CodingKeys: CodingKey, CaseIterable { case label, note, maxUses, expiresIn, friendship }

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        label = try values.textChange(forKey: .label)
        note = try values.textChange(forKey: .note)
        maxUses = try values.numberChange(forKey: .maxUses)
        expiresIn = try values.numberChange(forKey: .expiresIn)
        friendship = try values.decodeIfPresent(Invite.Mode.self, forKey: .friendship)
    }

    /// Throws as `InviteRequest.validated` does.
    func validated() throws(Problem) -> InviteChangeRequest {
        let sound = try InviteRequest(
            label: label ?? nil, note: note ?? nil, maxUses: maxUses ?? nil, expiresIn: expiresIn ?? nil,
            friendship: .auto
        ).validated()
        var change = self
        if label != nil { change.label = .some(sound.label) }
        if note != nil { change.note = .some(sound.note) }
        return change
    }
}
