import HTTPTypes
package import Web

/// Why a user cannot take a username.
package enum UsernameError: ProblemError, Equatable {
    case invalid(Reason)
    case taken
    /// The next change is possible in `seconds`.
    case coolingDown(seconds: Int)
    /// The user's names changed after the change was decided.
    case changedMeanwhile

    package enum Reason: String, Sendable {
        case tooShort = "too_short"
        case tooLong = "too_long"
        case characters
        case firstCharacter = "first_character"
        case doubleUnderscore = "double_underscore"
        case reserved
    }
}

extension UsernameError {
    package var problem: Problem {
        switch self {
        case .invalid(let reason):
            Problem(.unprocessableContent, "username_invalid", reason.detail, field: "username")
        case .taken:
            Problem(.conflict, "username_taken", "Somebody else has this username.", field: "username")
        case .coolingDown(let seconds):
            Problem(
                .tooManyRequests, "username_cooldown", "The username was changed not long ago.",
                field: "username", retryAfter: seconds)
        case .changedMeanwhile:
            Problem(
                .conflict, "changed_meanwhile",
                "The username is being changed by other calls at this instant.")
        }
    }
}

extension UsernameError.Reason {
    fileprivate var detail: String {
        switch self {
        case .tooShort: "`username` is too short."
        case .tooLong: "`username` is too long."
        case .characters: "`username` may have only the letters a to z, digits, and _."
        case .firstCharacter: "`username` must begin with a letter."
        case .doubleUnderscore: "`username` must not have two _ in a row."
        case .reserved: "`username` is reserved."
        }
    }
}
