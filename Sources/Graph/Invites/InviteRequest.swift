import Foundation
import Kernel
import Web

/// The body of a request for a custom link.
package struct InviteRequest: JSONBody, Encodable, Sendable {
    package var label: String?
    var note: String?
    var maxUses: Int?
    /// After how many seconds it expires.
    var expiresIn: Int?
    var friendship: Invite.Mode

    package init(label: String?, note: String?, maxUses: Int?, expiresIn: Int?, friendship: Invite.Mode) {
        (self.label, self.note, self.maxUses) = (label, note, maxUses)
        (self.expiresIn, self.friendship) = (expiresIn, friendship)
    }

    /// The limits of label and note, in characters.
    package static let maxLabel = 100
    package static let maxNote = 140

    package enum CodingKeys: CodingKey, CaseIterable { case label, note, maxUses, expiresIn, friendship }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        label = try values.decodeIfPresent(String.self, forKey: .label)
        note = try values.decodeIfPresent(String.self, forKey: .note)
        maxUses = try values.decodeIfPresent(Int.self, forKey: .maxUses)
        expiresIn = try values.decodeIfPresent(Int.self, forKey: .expiresIn)
        friendship = try values.decodeIfPresent(Invite.Mode.self, forKey: .friendship) ?? .auto
    }

    /// Drops white space around label and note. Checks that the label has 1 to 100 characters, the note 1 to
    /// 140, the uses are 1 to 1,000,000, and the time is one second to ten years.
    func validated() throws(Problem) -> InviteRequest {
        var sound = self
        sound.label = try Self.line(label, "label", atMost: Self.maxLabel)
        sound.note = try Self.line(note, "note", atMost: Self.maxNote)
        if let maxUses, !(1...1_000_000).contains(maxUses) {
            throw .invalid("maxUses", "must be from 1 to 1,000,000")
        }
        if let expiresIn, !(1...315_360_000).contains(expiresIn) {
            throw .invalid("expiresIn", "must be from 1 to 315,360,000 seconds")
        }
        return sound
    }

    private static func line(_ text: String?, _ field: String, atMost limit: Int) throws(Problem) -> String? {
        guard let text else { return nil }
        guard let line = OneLine(text, atMost: limit) else {
            throw .invalid(field, "must be one line of 1 to \(limit) characters")
        }
        return line.text
    }
}
