package import Kernel

/// What Kith decides of a link `/users/{username}?invitedBy={uid}`, and by what.
package struct LinkJudgement: Sendable {
    /// Nil: the path has no name.
    package var name: Username.Key?
    /// Nil: the link has no uid, or one that was cut.
    package var inviter: User.UID?
    /// Whether the link has a uid, valid or not.
    package var hasUID: Bool
    package var facts = LinkFacts()
    package var ruling = Decision(row: 9, landing: .notFound)
}
