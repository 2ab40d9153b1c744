import Foundation
import Kernel
import Web

/// The body that creates a key: `{"name": "backend", "scope": "server"}`.
struct KeyRequest: JSONBody, Sendable {
    /// What the key is for.
    let name: String
    let scope: String
    /// Whether it may act for users. If it is absent, it may not.
    let actsForUsers: Bool?
    /// After how many days it is refused. If it is absent, it never is.
    let expiresInDays: Int?

    enum CodingKeys: CodingKey, CaseIterable { case name, scope, actsForUsers, expiresInDays }

    /// A key as it may be made.
    struct Wanted {
        let name: String
        let scope: APIKey.Scope
        let actsForUsers: Bool
        let days: Int?

        /// Whether a key is as this one would have been made.
        func isLike(_ key: APIKeyStore.Listed) -> Bool {
            let lasts = key.expiresAt.map { Int(($0.timeIntervalSince(key.createdAt) / 86_400).rounded()) }
            return (key.name, key.rights.scope, key.rights.actsForUsers) == (name, scope, actsForUsers)
                && lasts == days
        }
    }

    /// Returns what is to be made. Throws a 400 that names the field.
    func checked() throws(Problem) -> Wanted {
        guard let name = OneLine(name, atMost: 100) else {
            throw .invalid("name", "must be one line of 1 to 100 characters")
        }
        guard let scope = APIKey.Scope(rawValue: scope) else {
            let all = APIKey.Scope.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("scope", "must be one of \(all)")
        }
        let actsForUsers = actsForUsers ?? false
        guard !actsForUsers || scope.mayActForUsers else {
            throw .invalid("actsForUsers", "must be false: only server and admin keys act for users")
        }
        guard (1...36_500).contains(expiresInDays ?? 1) else {
            throw .invalid("expiresInDays", "must be from 1 to 36500")
        }
        return Wanted(name: name.text, scope: scope, actsForUsers: actsForUsers, days: expiresInDays)
    }
}
