import Foundation
import Kernel
import Web

/// The body that makes a short link: `{"domain": …, "parameters": {"link": …}, "suffix": "short"}`.
struct ShortLinkRequest: JSONBody, Sendable {
    /// The domain. If it is absent, the app's first one counts.
    var domain: String?
    var parameters: [String: String]
    /// The kind of code. If it is absent, the code is unguessable.
    var suffix: ShortLink.Kind?
    /// The code, if the suffix is custom.
    var code: String?
    var name: String?
    var note: String?
    var tags: [String]?
    /// After how many seconds the link expires.
    var expiresIn: Int?

    enum CodingKeys: CodingKey, CaseIterable {
        case domain, parameters, suffix, code, name, note, tags, expiresIn
    }

    static let fields = Set(CodingKeys.allCases.map(\.stringValue) + ["parameters.*"])

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        domain = try values.decodeIfPresent(String.self, forKey: .domain)
        parameters = try values.decode([String: String].self, forKey: .parameters)
        suffix = try values.decodeIfPresent(ShortLink.Kind.self, forKey: .suffix)
        code = try values.decodeIfPresent(String.self, forKey: .code)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        note = try values.decodeIfPresent(String.self, forKey: .note)
        tags = try values.decodeIfPresent([String].self, forKey: .tags)
        expiresIn = try values.decodeIfPresent(Int.self, forKey: .expiresIn)
    }

    /// Whether it says what only operators may say: everybody has the key of an app, so the app chooses no
    /// codes, and no time or details of a link that others get too.
    var isOfOperator: Bool {
        suffix == .custom || expiresIn != nil || name != nil || note != nil || tags != nil
    }

    /// Returns name, note and tags, as they are kept. Throws a 400 that names a field, also if the link would
    /// not last for one second to ten years.
    func details() throws(Problem) -> ShortLinkDetails {
        try Self.check(expiresIn: expiresIn)
        return ShortLinkDetails(
            name: try ShortLinkDetails.name(name), note: try ShortLinkDetails.note(note),
            tags: try LinkTag.tags(tags ?? []))
    }

    static func check(expiresIn: Int?) throws(Problem) {
        if let expiresIn, !(1...315_360_000).contains(expiresIn) {
            throw .invalid("expiresIn", "must be from 1 to 315,360,000 seconds")
        }
    }

    /// Returns the kind of code. Throws a 400 that names the field.
    func creationSuffix() throws(Problem) -> ShortLinkCreation.Suffix {
        switch (suffix ?? .unguessable, code) {
        case (.unguessable, nil): return .unguessable
        case (.short, nil): return .short
        case (.custom, let text?):
            guard let code = ShortLink.Code(text) else {
                throw .invalid(
                    "code", "must have 1 to 128 letters, digits, - and _, in segments divided by /")
            }
            return .custom(code)
        case (.custom, nil): throw .invalid("code", "must be there for a custom suffix")
        case (_, .some): throw .invalid("code", "stands only with the suffix custom")
        }
    }
}
