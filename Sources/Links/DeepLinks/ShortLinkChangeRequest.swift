import Foundation
import Kernel
import Web

/// The body of a change of a short link. What is absent stays as it is.
struct ShortLinkChangeRequest: JSONBody, Sendable {
    /// All new parameters. They replace the old ones.
    var parameters: [String: String]?
    /// The new name. An empty text removes it.
    var name: String??
    /// The new note. An empty text removes it.
    var note: String??
    /// All new tags. They replace the old ones.
    var tags: [String]?
    var archived: Bool?
    /// When the link expires, in seconds from now. 0 means never.
    var expiresIn: Int??

    enum CodingKeys: CodingKey, CaseIterable { case parameters, name, note, tags, archived, expiresIn }

    static let fields = Set(CodingKeys.allCases.map(\.stringValue) + ["parameters.*"])

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        parameters = try values.decodeIfPresent([String: String].self, forKey: .parameters)
        name = try values.textChange(forKey: .name)
        note = try values.textChange(forKey: .note)
        tags = try values.decodeIfPresent([String].self, forKey: .tags)
        archived = try values.decodeIfPresent(Bool.self, forKey: .archived)
        expiresIn = try values.numberChange(forKey: .expiresIn)
    }

    /// Returns the change, but for the parameters. Throws as `ShortLinkRequest.details` does.
    func change() throws(Problem) -> ShortLinkChange {
        try ShortLinkRequest.check(expiresIn: expiresIn ?? nil)
        var change = ShortLinkChange(isArchived: archived, expiresIn: expiresIn)
        if let name { change.name = .some(try ShortLinkDetails.name(name)) }
        if let note { change.note = .some(try ShortLinkDetails.note(note)) }
        if let tags { change.tags = try LinkTag.tags(tags) }
        return change
    }
}
