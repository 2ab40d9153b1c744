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
    /// After how many seconds the link expires.
    var expiresIn: Int?

    enum CodingKeys: CodingKey, CaseIterable { case domain, parameters, suffix, code, name, expiresIn }

    static let fields = Set(CodingKeys.allCases.map(\.stringValue) + ["parameters.*"])

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        domain = try values.decodeIfPresent(String.self, forKey: .domain)
        parameters = try values.decode([String: String].self, forKey: .parameters)
        suffix = try values.decodeIfPresent(ShortLink.Kind.self, forKey: .suffix)
        code = try values.decodeIfPresent(String.self, forKey: .code)
        name = try values.decodeIfPresent(String.self, forKey: .name)
        expiresIn = try values.decodeIfPresent(Int.self, forKey: .expiresIn)
    }

    /// Drops white space around the name. Checks that the name has 1 to 100 characters, and the time is one
    /// second to ten years.
    func validated() throws(Problem) -> ShortLinkRequest {
        var sound = self
        sound.name = try Self.name(name)
        try Self.check(expiresIn: expiresIn)
        return sound
    }

    static func name(_ text: String?) throws(Problem) -> String? {
        guard let text else { return nil }
        guard let line = OneLine(text, atMost: 100) else {
            throw .invalid("name", "must be one line of 1 to 100 characters")
        }
        return line.text
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
