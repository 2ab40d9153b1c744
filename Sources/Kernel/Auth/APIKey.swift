import Crypto
package import Foundation
import Web

/// A key of a server, a tool or an app: `kith_`, an id for look-ups, `_`, and a secret.
package struct APIKey: Hashable, Sendable {
    static let prefix = "kith_"
    private static let idLength = 12
    /// The length of the secret: 32 characters are 160 bits.
    private static let secretLength = 32

    package let id: String
    /// The whole text. It is shown once, when the key is created, and stored nowhere.
    let text: String

    /// What a key is for. `Kith/Routes.swift` says which calls need which.
    package enum Scope: String, Sendable, CaseIterable {
        /// Every copy of an app has such a key, so it may do little.
        case client
        /// A backend's key.
        case server
        // Keys of operators, by their roles.
        case viewer, links, growth, support, admin

        package init(_ role: Role) {
            self =
                switch role {
                case .viewer: .viewer
                case .links: .links
                case .growth: .growth
                case .support: .support
                case .admin: .admin
                }
        }

        /// The role. Nil if the key is not an operator's.
        package var role: Role? { Role(rawValue: rawValue) }

        /// Whether keys of the scope can have the right to act for users.
        package var mayActForUsers: Bool { self == .server || self == .admin }
    }

    /// What is stored about what a key may do.
    package struct Rights: Equatable, Sendable {
        package let scope: Scope
        /// Whether calls with it may name a user in the header `Kith-User`.
        package let actsForUsers: Bool
    }

    /// Creates a new key. The bytes must come from a cryptographically secure generator.
    /// - Parameter id: nil for one of these bytes.
    init(id: String? = nil, randomBytes: (Int) -> [UInt8]) {
        let letters = Base32.text(of: randomBytes(Self.idLength + Self.secretLength))
        self.id = id ?? String(letters.prefix(Self.idLength))
        text = Self.prefix + self.id + "_" + letters.dropFirst(Self.idLength)
    }

    /// Makes the id of a key of another id.
    package static func id(of id: UUID) -> String { Base32.text(of: id.bytes.prefix(idLength)) }

    /// Nil if the text cannot be a key.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.prefix) else { return nil }
        let parts = text.dropFirst(Self.prefix.count).split(separator: "_", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [Self.idLength, Self.secretLength],
            parts.allSatisfy({ Base32.holds($0) })
        else { return nil }
        id = String(parts[0])
        self.text = text
    }

    /// The stored hash. It needs no salt and no slow hash: 160 random bits cannot be guessed.
    var sha256: SHA256Digest { SHA256.hash(data: Data(text.utf8)) }

    /// Whether this is the stored key. swift-crypto compares digests in constant time.
    func matches(sha256 stored: [UInt8]) -> Bool { sha256 == stored }
}

extension Set<APIKey.Scope> {
    /// The scopes of `RouteRules.Callers.callers`.
    static let ofCallers: Self = [.client, .server, .admin]

    /// As in "server, links or admin".
    var list: String {
        let names = APIKey.Scope.allCases.filter(contains).map(\.rawValue)
        guard names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " or " + names.suffix(1).joined()
    }
}
