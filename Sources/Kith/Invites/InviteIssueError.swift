/// Why a user gets no new link; then nothing was written.
enum InviteIssueError: String, Error, GuardOutcome {
    case invitingFrozen = "inviting_frozen"
    /// As many custom links as allowed can be used.
    case linkLimit = "link_limit"
    /// As many short codes as allowed were made in 24 hours.
    case rotationLimit = "rotation_limit"
}
