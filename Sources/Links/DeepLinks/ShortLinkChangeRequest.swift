import Foundation
import Web

/// The body of a change of a short link. What is absent stays as it is.
struct ShortLinkChangeRequest: JSONBody, Sendable {
    /// All new parameters. They replace the old ones.
    var parameters: [String: String]?
    /// The new name. An empty text removes it.
    var name: String??
    var archived: Bool?
    /// When the link expires, in seconds from now. 0 means never.
    var expiresIn: Int??

    enum CodingKeys: CodingKey, CaseIterable { case parameters, name, archived, expiresIn }

    static let fields = Set(CodingKeys.allCases.map(\.stringValue) + ["parameters.*"])

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        parameters = try values.decodeIfPresent([String: String].self, forKey: .parameters)
        name = try values.textChange(forKey: .name)
        archived = try values.decodeIfPresent(Bool.self, forKey: .archived)
        expiresIn = try values.numberChange(forKey: .expiresIn)
    }

    /// Throws as `ShortLinkRequest.validated` does.
    func validated() throws(Problem) -> ShortLinkChangeRequest {
        var sound = self
        if let name { sound.name = .some(try ShortLinkRequest.name(name)) }
        try ShortLinkRequest.check(expiresIn: expiresIn ?? nil)
        return sound
    }
}
