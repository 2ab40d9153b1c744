import Foundation

/// Who did an operator's act, as the audit keeps it: `key:7h2k9m4pqr5t`.
package struct AuditActor: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// Whoever has a key, by its id.
        case key
        /// A person who signed in.
        case person
        /// Whoever ran a command of `kith`, by the user and host that the operating system names.
        case command
    }

    package let text: String

    package init(_ kind: Kind, _ name: String) { text = "\(kind.rawValue):\(name)" }

    /// Nil if the text can be no actor.
    package init?(_ text: String) {
        guard let colon = text.firstIndex(of: ":"), Kind(rawValue: String(text[..<colon])) != nil,
            let name = OneLine(String(text[text.index(after: colon)...]), atMost: 320)
        else { return nil }
        self.text = text[...colon] + name.text
    }

    /// Reads what the database keeps.
    init(stored text: String) { self.text = text }

    /// The id of the key. Nil if it is no key.
    var keyID: String? {
        let prefix = "\(Kind.key.rawValue):"
        return text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
    }

    /// Whoever runs this command.
    package static let thisCommand: AuditActor = {
        let process = ProcessInfo.processInfo
        // A container may run as a user without a name.
        let user = process.userName.isEmpty ? "unknown" : process.userName
        return AuditActor(.command, "\(user)@\(process.hostName)")
    }()
}
