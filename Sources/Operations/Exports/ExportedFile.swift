import Kernel

/// A file of `kith export all`, in the order in which `kith import all` takes them: whoever is named in one is there before
/// it, and blocks are before friendships.
package enum ExportedFile: String, CaseIterable, Sendable {
    case users
    case nameStates = "name-states"
    case usernames, relationships, friendships, invites
    case inviteUses = "invite-uses"
    case inviters, links

    package var name: String { "\(rawValue).csv" }

    /// The import that takes it as it was; nil of links, which have one of their own.
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

    /// The command that takes it alone.
    package var command: String {
        switch self {
        case .users: "kith import users --keep-names \(name)"
        case .links: "kith import fdl \(name)"
        default: "kith import \(rawValue) \(name)"
        }
    }
}
