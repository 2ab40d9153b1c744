/// Settings of links.
struct InviteLimits: Sendable {
    /// `KITH_MAX_LINKS`; 1,000. Extra links of one user that can be used. Of those that cannot, and that nobody
    /// came through, the newest so many are kept.
    var links = 1000
    /// `KITH_MAX_ROTATIONS`; 10. New short codes of one user's permanent link in 24 hours, the first included.
    var rotations = 10
}

/// Why a user gets no new link; then nothing was written.
enum IssueRefusal: String, Error, Sendable {
    /// The account was suspended or deleted meanwhile.
    case notActive = "not_active"
    case invitingFrozen = "inviting_frozen"
    /// As many extra links as allowed can be used.
    case linkLimit = "link_limit"
    /// As many short codes as allowed were made in 24 hours.
    case rotationLimit = "rotation_limit"
}
