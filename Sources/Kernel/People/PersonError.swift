import HTTPTypes
package import Web

/// Why a person is not changed, or cannot sign in: the words of the guards.
package enum PersonError: String, Error, GuardOutcome {
    case unknown = "person_not_found"
    case sessionUnknown = "session_not_found"
    /// Somebody takes the role `admin` from themselves: nobody might be left who can give it back.
    case ownRole = "own_role"
}

extension PersonError: ProblemError {
    package var problem: Problem {
        switch self {
        case .unknown: .notFound("person_not_found", "Nobody of that address may sign in.")
        case .sessionUnknown: .notFound("session_not_found", "There is no such session, or it has ended.")
        case .ownRole:
            Problem(
                .conflict, "own_role", "Another admin can take this role from you, and you cannot yourself.")
        }
    }
}

/// Why somebody is not signed in. The audit and the page say it.
package enum SignInRefusal: String, Error, GuardOutcome, CaseIterable {
    case linkUnknown = "link_unknown"
    case linkUsed = "link_used"
    case linkExpired = "link_expired"
    /// Nobody added the person, and no rule lets them in.
    case personUnknown = "person_unknown"
    case personRemoved = "person_removed"
    /// The provider did not say that the mail address is verified, or gave none.
    case mailUnverified = "mail_unverified"
    /// The answer belongs to no sign-in that this browser began, or to one that is over.
    case stateWrong = "state_wrong"
    /// The provider said that the person or it does not want this.
    case providerRefused = "provider_refused"
    /// The provider does not take the code: it was used before, or is too old.
    case codeRefused = "code_refused"
    /// The ID token is not one for this sign-in.
    case tokenInvalid = "token_invalid"
}
