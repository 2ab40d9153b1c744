import Crypto
package import Foundation
import Web

/// A user who has signed up.
package struct User: Sendable {
    package var id: ID
    package var profile: Profile
    package var status: Status
    var inviting = InviteMode.auto
    var createdAt: Date

    package var uid: UID { profile.uid }
    package var username: String { profile.username }

    package enum Status: String, Encodable, Sendable {
        case active, suspended, deleted
    }
}

package extension User {
    /// The identity provider's identifier of a user (`sub` of the ID token): 1 to 128 characters, none of
    /// them a control character. It never changes.
    struct UID: ByteText, Codable, Sendable, CustomStringConvertible {
        package let text: String
        /// Whether the uid was cut from a longer text in a link, which no uid can be.
        package private(set) var isCut = false

        /// Nil if the text cannot be a uid.
        package init?(_ text: String) {
            guard text.isOneLine(ofAtMost: Self.longest) else { return nil }
            self.text = text
        }

        /// Takes a uid that was validated before it was stored.
        package init(stored text: String) {
            self.text = text
        }

        /// Reads the uid in a link. It ends before the first character that no uid can have.
        package init?(inLink encoded: some Collection<UInt8>) {
            let text = StuckText.decoded(encoded)
            let uid =
                UID(text)
                ?? StuckText.beginnings(ofID: text, atMost: Self.longest).lazy.compactMap { UID($0) }.first
            guard let uid else { return nil }
            self = uid
            isCut = PercentEncoding.decode(encoded)?.hasSameBytes(as: self.text) != true
        }

        /// How many code points a uid may have.
        static let longest = 128

        /// The possible uids of a link that has something stuck to it, the longest first.
        package var readings: [UID] {
            (isCut ? [self] : [])
                + StuckText.readings(ofID: text, atMost: Self.longest).compactMap { UID($0) }
        }

        package var description: String { text }

        package init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    /// The key of a user in the database: the first 16 bytes of SHA-256(uid), so that a token yields it
    /// without a look-up.
    struct ID: Hashable, Sendable, Comparable {
        package let uuid: UUID

        package init(_ uuid: UUID) {
            self.uuid = uuid
        }

        /// The id of no user, for events that happened to nobody.
        package static let nobody = ID(.zero)

        package init(of uid: UID) {
            uuid = SHA256.hash(data: Array(uid.text.utf8)).withUnsafeBytes { digest in
                UUID(uuid: digest.loadUnaligned(as: uuid_t.self))
            }
        }

        /// Compares byte by byte, as PostgreSQL sorts uuid.
        package static func < (left: ID, right: ID) -> Bool {
            withUnsafeBytes(of: left.uuid.uuid) { left in
                withUnsafeBytes(of: right.uuid.uuid) { right in left.lexicographicallyPrecedes(right) }
            }
        }
    }

    /// What everyone may see of a user.
    struct Profile: Codable, Equatable, Sendable {
        package var uid: UID
        package var username: String
        package var displayName: String?
        package var avatarUrl: String?
        package var metadata: Metadata?

        package init(
            uid: UID, username: String, displayName: String? = nil, avatarUrl: String? = nil,
            metadata: Metadata? = nil
        ) {
            self.uid = uid
            self.username = username
            self.displayName = displayName
            self.avatarUrl = avatarUrl
            self.metadata = metadata
        }
    }
}
