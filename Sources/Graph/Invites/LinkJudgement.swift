package import Kernel

/// What Kith decides about a link `/users/{username}?invitedBy={uid}`, and by which facts.
package struct LinkJudgement: Sendable {
    /// The name. Nil if the path has none.
    package var name: Username.Key?
    /// The inviter's uid. Nil if the link has none, or one that was cut.
    package var inviter: User.UID?
    /// Whether the link has a uid, valid or not.
    package var hasUID: Bool
    package var facts = LinkFacts()
    package var decision = LinkDecision(row: 9, target: .notFound)
}
