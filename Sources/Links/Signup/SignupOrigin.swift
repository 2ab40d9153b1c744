import Events
import Kernel
import Visits

/// Where a sign-up came from, for numbers and for backends, which learn it from `user.signed_up`. It says
/// nothing that a visit would not say.
package struct SignupOrigin: Equatable, Sendable {
    /// The deep link that brought the user, as its sums name it.
    var link: String?
    /// The campaign of that link (`utm_campaign`), or else of the visit before the store.
    var campaign: String?
    /// `ios`, `android` or `desktop`. Nil if nothing says it.
    var platform: Click.Platform?
    /// The key of the app. Nil for a stranger's.
    var app: String?
    /// Two capital letters.
    var country: String?
    /// Two or three small letters.
    var language: String?

    package init() {}

    /// The facts of the event.
    var facts: [String: EventFact] {
        [
            "link": link, "campaign": campaign, "platform": platform?.rawValue, "app": app,
            "country": country, "language": language,
        ]
        .compactMapValues { $0.map(EventFact.text) }
    }
}

extension Click.Platform {
    /// What the library by which an app calls says that it runs on. Nil if it does not say it.
    init?(ofApp agent: UserAgent) {
        if agent.names(["CFNetwork/"]) {
            self = .ios
        } else if agent.names(["okhttp/", "Dalvik/", "Android"]) {
            self = .android
        } else {
            return nil
        }
    }
}
