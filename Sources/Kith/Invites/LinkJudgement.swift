/// What Kith decides of a link `/users/{username}?invitedBy={uid}`, and by what.
struct LinkJudgement: Sendable {
    /// Nil: the path has no name.
    var name: Username.Key?
    /// Nil: the link has no uid, or one that was cut.
    var inviter: User.UID?
    /// Whether the link has a uid, valid or not.
    var hasUID: Bool
    var facts = LinkFacts()
    var ruling = Decision(row: 9, landing: .notFound)
}
