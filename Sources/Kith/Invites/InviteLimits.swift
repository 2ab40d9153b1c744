/// Settings of links.
struct InviteLimits: Sendable {
    /// `KITH_MAX_LINKS`; 1,000. Custom links of one user that can be used. Of those that cannot, and that nobody
    /// came through, the newest so many are kept.
    var links = 1000
    /// `KITH_MAX_ROTATIONS`; 10. New short codes of one user's permanent link in 24 hours, the first included.
    var rotations = 10
}
