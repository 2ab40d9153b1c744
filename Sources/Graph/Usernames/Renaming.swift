package import Kernel

/// Renames a user: decides by their history, and writes if the history is still the same.
package struct Renaming: Sendable {
    package var usernames: UsernameStore
    /// The act of an operator, whom no cool-down stops. Nil if the user renames themselves.
    package var act: OperatorAct?

    package init(usernames: UsernameStore, act: OperatorAct? = nil) {
        self.usernames = usernames
        self.act = act
    }

    /// Renames a user. Throws a `UsernameError`, but `changedMeanwhile` only after losing to other changes of
    /// the same user `tries` times. Throws `AccountError.inactive` if the account is no longer active.
    package func rename(_ user: User.ID, to new: Username, severing: Bool, tries: Int = 10) async throws {
        let history = try await usernames.history(of: user)
        guard let current = history.current else { throw AccountError.inactive }
        do {
            guard current.key != new.key else {
                return try await usernames.respell(user, as: new, noting: act)
            }
            let seconds = act == nil ? history.wait(toChangeTo: new.key, policy: usernames.policy) : 0
            guard seconds == 0 else { throw UsernameError.coolingDown(seconds: seconds) }
            try await usernames.rename(
                user, from: current, to: new, severing: severing,
                releasing: history.surplus(leavingFor: new.key, limit: usernames.policy.maxHeld), noting: act)
        } catch UsernameError.changedMeanwhile where tries > 1 {
            try await rename(user, to: new, severing: severing, tries: tries - 1)
        }
    }
}
