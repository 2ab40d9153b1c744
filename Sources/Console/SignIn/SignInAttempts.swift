package import Kernel
package import Logging
import Web

/// Keeps why people were not signed in: in the audit, and, since that takes only some rows an hour, in the
/// log.
package struct SignInAttempts: Sendable {
    package let store: SignInStore
    private let refused = PausedLog("sign-in refused", .notice, counting: "attempts")
    private let failures = PausedLog("the audit takes no row of a refused sign-in", counting: "attempts")

    package init(store: SignInStore) {
        self.store = store
    }

    /// - Parameters:
    ///   - email: who wanted to sign in. Nil if that is not known.
    ///   - detail: more, for the log alone.
    package func note(
        _ why: SignInRefusal, of email: EmailAddress?, detail: String = "", to logger: Logger
    ) async {
        refused.note(
            ["reason": "\(why.rawValue)", "detail": "\(String(detail.prefix(300)))"], of: why.rawValue,
            to: logger)
        do {
            try await store.noteRefusal(why, of: email)
        } catch {
            failures.note(["error": "\(error)"], to: logger)
        }
    }
}
