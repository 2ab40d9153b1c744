/// Settings of invites and their links.
package struct InvitePolicy: Sendable {
    /// `KITH_INVITES_BY_NAME`, `friends` or `request`; `friends`. What a link with a name and a uid, but no
    /// code, makes of its owner and a newcomer.
    package var byName = Invite.Mode.auto
    /// `KITH_MAX_LINKS`; 1,000. The most usable custom links of one user. As many of their newest dead links
    /// are kept.
    package var links = 1000
    /// The most new short codes of one user's permanent link in 24 hours, including the first. Former codes
    /// stay and are looked up.
    package var rotations = 10

    package init() {}
}
