import Crypto
import Foundation
import Hummingbird

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
        maxUses = try values.decodeIfPresent(Int.self, forKey: .maxUses)
        expiresIn = try values.decodeIfPresent(Int.self, forKey: .expiresIn)
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

/// The header `Idempotency-Key` with what it was sent for: the same key for the same call is answered
/// like the first time, for another it is refused.
struct IdempotencyKey: Sendable {
    let text: String
    let requestSHA256: [UInt8]

    /// Nil where the header is absent. The name of the call and its content tell calls apart.
    init?(_ request: Request, call: String, content: String) throws(Problem) {
        guard let header = request.headers[.idempotencyKey] else { return nil }
        let bare = header.count >= 2 && header.hasPrefix("\"") && header.hasSuffix("\"")
            ? String(header.dropFirst().dropLast()) : header
        guard (1...255).contains(bare.utf8.count), bare.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .malformed("It must be 1 to 255 visible ASCII characters.", field: "Idempotency-Key")
        }
        text = bare
        requestSHA256 = Array(SHA256.hash(data: Array("\(call)\n\(content)".utf8)))
    }

    static let reused = Problem(
        .unprocessableContent, "idempotency_key_reused",
        "This key was used for another call. Use a new one.", field: "Idempotency-Key")
}

/// One who came through a link.
struct Joined: Sendable {
    var cursor: Cursor
    var profile: User.Profile
}
