import Kernel

/// Why a user gets no new link, or cannot change one. Then nothing was written.
enum InviteIssueError: String, Error, GuardOutcome {
    case invitingFrozen = "inviting_frozen"
    /// The user is at the limit of usable custom links.
    case linkLimit = "link_limit"
    /// The link was already used more often than the new limit allows.
    case usesExceeded = "uses_exceeded"
    /// The user is at the limit of new short codes in 24 hours.
    case rotationLimit = "rotation_limit"
}
