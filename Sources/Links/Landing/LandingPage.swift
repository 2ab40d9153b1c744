import Foundation
import Graph
import Visits
import Web

/// What one landing page shows: a person, what their link does, and ways into the app.
struct LandingPage: DisplayedNames, Hashable, Sendable {
    enum Kind: CaseIterable, Hashable, Sendable {
        /// Signing up by the link makes the two friends.
        case invite
        /// Signing up by the link leaves a friend request.
        case ask
        /// The page shows the person, without an invite.
        case profile
    }

    var kind: Kind
    /// Whether nothing proves who shared the link, because it has only a name.
    var isByNameOnly = false
    var displayName: String?
    var username: String
    /// The person's picture, if its host is allowed now.
    var avatarUrl: String?
    /// How many friends the person has. Nil if the page does not say it.
    var friends: Int?
    /// The URL of the page, without the parts of this visit alone. Like all URLs here it is absolute,
    /// complete and percent-encoded.
    var url: String
    /// What people copy and share: the short link if the page was opened with a code.
    var link: String
    /// The path of the QR symbol of `link`, as in `/users/hanako/qr.svg?invitedBy=…`.
    var qrURL: String
    /// The absolute URL of the card.
    var imageURL: String
    /// The same page inside the app. It is shown only if its scheme is the app's own.
    var openURL: String?
    /// The URLs that lead to the stores and leave the invite for the app's first start. Nil if the stores'
    /// own URLs do.
    var appStoreURL: String?
    var playStoreURL: String?
    /// The URL that opens the page in an ordinary browser.
    var browserURL: String?
    /// What the owner said about this link.
    var terms = LinkTerms()
    var language: Language
    var device = Device.unknown
    /// The buttons.
    var decision: LandingDecision
    /// What remote values change about the page.
    var changes = LandingChanges()
    /// The visitor in experiments. Nil if they are in none.
    var unit: UUID?
    /// The campaign of the visit, as pairs of a query. Nil if it has none.
    var campaign: String?

    /// The text that is copied by the button that keeps the invite for the app: the link, with the campaign
    /// and the visitor's unit.
    var copied: String {
        let visit = unit.map { "\(PastedInvite.visitKey)=\(Base64URL.encode($0.bytes))" }
        return [campaign, visit].compactMap(\.self).reduce(link) { $0.adding(pairs: $1) }
    }
}

/// What a page says about the link with which it was opened. For a link without a code it is empty.
struct LinkTerms: Hashable, Sendable {
    var label: String?
    var note: String?
    var timeLeft: TimeLeft?
    var placesLeft: Int?

    /// The time left, rounded, in the largest unit of which there are at least two.
    enum TimeLeft: Hashable, Sendable {
        case days(Int), hours(Int), minutes(Int)

        init(seconds: Double) {
            let minutes = max(1, Int((seconds / 60).rounded()))
            self =
                minutes >= 2880
                ? .days((minutes + 720) / 1440)
                : minutes >= 120 ? .hours((minutes + 30) / 60) : .minutes(minutes)
        }
    }
}
