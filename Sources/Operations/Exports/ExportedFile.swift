import Kernel

/// A file of `kith export all`, in the order in which `kith import all` takes them. Users are imported before
/// files that name them, and blocks before friendships.
package enum ExportedFile: String, CaseIterable, Sendable {
    case users
    case nameStates = "name-states"
    case usernames, relationships, friendships, invites
    case inviteUses = "invite-uses"
    case inviters, links

    package var name: String { "\(rawValue).csv" }

    /// The import that restores it as it was. Nil for links, which have their own import.
    package var kind: Import? {
        switch self {
        case .users: .users(keepNames: true, historyComplete: false)
        case .nameStates: .nameStates
        case .usernames: .usernames(complete: false)
        case .relationships: .relationships
        case .friendships: .friendships(oneSided: .friends)
        case .invites: .invites
        case .inviteUses: .inviteUses
        case .inviters: .inviters
        case .links: nil
        }
    }

    /// The command that imports only this file.
    package var command: String {
        switch self {
        case .users: "kith import users --keep-names \(name)"
        case .links: "kith import fdl \(name)"
        default: "kith import \(rawValue) \(name)"
        }
    }
}
