import Foundation

/// A link with a code: the short form of a user's permanent link, or a custom one.
struct Invite: Sendable {
    var code: Code
    var friendship: Mode
    var label: String?
    var uses: Int
    var maxUses: Int?
    var expiresAt: Date?
    var revokedAt: Date?
    var createdAt: Date

    /// As it will be made; its times are not known yet.
    init(_ draft: InviteRequest, as code: Code) {
        self.code = code
        friendship = draft.friendship
        label = draft.label
        uses = 0
        maxUses = draft.maxUses
        expiresAt = draft.expiresIn.map { _ in .distantPast }
        createdAt = .distantPast
    }

    /// What accepting the invite creates.
    enum Mode: String, Codable, Sendable {
        /// A friendship at once: handing out the link was the inviter's consent.
        case auto
        /// A request, which the inviter answers.
        case ask
    }

    /// A code of 80 bits from the system's generator, in Crockford's base 32.
    struct Code: Hashable, Sendable, CustomStringConvertible {
        static let length = 16

        let text: String

        /// Reads a code as a person may type it: in any case, with o for 0, and i or l for 1.
        init?(_ typed: some StringProtocol) {
            guard typed.utf8.count == Self.length else { return nil }
            let bytes = typed.lowercased().utf8.map { byte in
                switch byte {
                case UInt8(ascii: "o"): UInt8(ascii: "0")
                case UInt8(ascii: "i"), UInt8(ascii: "l"): UInt8(ascii: "1")
                default: byte
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            guard Base32.holds(text) else { return nil }
            self.text = text
        }

        /// Each byte gives one character.
        init(random bytes: [UInt8]) {
            text = Base32.text(of: bytes.prefix(Self.length))
        }

        /// Takes a code that was validated before it was stored.
        init(stored text: String) {
            self.text = text
        }

        var description: String { text }
    }
}

/// How an app names an invite: by the code of a link, or by what the permanent link carries.
enum InviteReference: Equatable, Sendable {
    /// With a uid, the code must be that user's: it leads to the user whom the page showed, or nowhere.
    case code(Invite.Code, of: User.UID? = nil)
    case name(Username.Key, User.UID?)
    /// Not an invite of this server.
    case unrecognised
}

/// An invite that leads to a user.
struct ProvenInvite: Sendable {
    var inviter: User.Profile
    var proof: Proof
    var friendship: Invite.Mode
    var code: Invite.Code?
    /// The name that proved the invite, and what must still hold for it when the invite is accepted.
    var name: (key: Username.Key, proof: NameProof)?
    /// False if the invite only leads to the inviter's page, and cannot be accepted.
    var isInvite = true

    enum Proof: String, Codable, Sendable {
        case current, past, code
        case nameOnly = "name_only"
    }

    /// What it makes of the inviter and a user with an account. Anybody can learn a name and a uid, so these only say who the
    /// inviter is; a code is their consent.
    var friendshipForMembers: Invite.Mode { code == nil ? .ask : friendship }

    var inviterUID: User.UID { User.UID(stored: inviter.uid) }
    var inviterID: User.ID { User.ID(of: inviterUID) }
}

extension InviteResult {
    init(_ friendship: Invite.Mode) {
        self = friendship == .auto ? .friends : .requested
    }
}

/// A user who joined by a link.
typealias Joined = User.Listed<Joining>

struct Joining: Encodable, Sendable {
    var at: Date
}
