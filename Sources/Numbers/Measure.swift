import Counts
import Events

/// Something that is counted, and of which people ask numbers. Another measure is a row of `all`.
struct Measure: Sendable {
    /// Its name in calls, such as `links.clicks`.
    let name: String
    /// The measures of `counts` whose sum it is.
    let counted: [String]
    /// By what it divides.
    let dimensions: [CountDimension]
    let scope: Scope
    /// What one of it is.
    let summary: String

    /// Of what there are numbers beside those of everything.
    enum Scope: Sendable {
        case everything
        /// Of a domain of deep links, and of one of its short links.
        case links
    }

    /// Beside its dimensions, by what its numbers are filtered.
    var filters: [String] {
        guard scope == .links else { return [] }
        // Somebody may visit several links, so different visitors do not add up.
        return ["domain", "link"] + (name == "links.visitors" ? [] : ["tag"])
    }

    private init(
        _ name: String, _ summary: String, of counted: [String]? = nil, by dimensions: [CountDimension] = [],
        scope: Scope = .everything
    ) {
        (self.name, self.counted, self.dimensions) = (name, counted ?? [name], dimensions)
        (self.scope, self.summary) = (scope, summary)
    }

    private static let visit: [CountDimension] = [
        .platform, .country, .referrer, .source, .medium, .campaign, .language, .browser,
    ]

    static let all: [Measure] = [
        Measure(
            "links.clicks", "A visitor opened a deep link.", of: ["links.page", "links.redirect"], by: visit,
            scope: .links),
        Measure(
            "links.redirects", "A visitor opened a deep link and was sent on at once.",
            of: ["links.redirect"], by: visit, scope: .links),
        Measure(
            "links.visitors", "Different visitors of a day. Somebody who comes on two days counts on both.",
            scope: .links),
        Measure(
            "links.installs", "An app came from a store by a deep link.", of: ["links.install"],
            by: [.platform], scope: .links),
        Measure(
            "links.first_opens", "An app started for the first time by a deep link.", of: ["links.firstOpen"],
            by: [.platform], scope: .links),
        Measure(
            "links.reopens", "A deep link opened an app that was there already.", of: ["links.reopen"],
            by: [.platform], scope: .links),
        Measure(
            "invites.pages", "A visitor opened an invite.", of: ["invites.page", "invites.redirect"],
            by: visit + [.kind, .app]),
        Measure(
            "invites.visitors", "Different visitors of a day. Somebody who comes on two days counts on both."),
        Measure(
            "invites.taps", "A visitor went from the page of an invite to a store.", of: ["invites.tap"],
            by: visit + [.kind, .app]),
        Measure(
            "invites.installs", "An app came from a store by an invite.", of: ["invites.install"],
            by: [.platform, .app]),
        Measure(
            "invites.first_opens", "An app started for the first time by an invite.",
            of: ["invites.firstOpen"], by: [.platform, .app]),
        Measure("invites.sign_ups", "Somebody signed up by an invite.", by: [.kind]),
        Measure("invites.friendships", "Two became friends of whom one had signed up by the other's invite."),
        Measure("invites.made", "A user made a custom link, or got a short code.", by: [.kind]),
        Measure("people.sign_ups", "Somebody signed up, invited or alone.", by: [.cause]),
        Measure("people.deletions", "A user deleted their account."),
        Measure("people.suspensions", "An operator suspended a user."),
        Measure("people.returns", "An operator restored a user."),
        Measure("people.renames", "A user took another username."),
        Measure("friendships.made", "Two became friends, by an invite or otherwise.", by: [.cause]),
        Measure("friendships.ended", "Two are no longer friends."),
        Measure("friendships.requested", "A request reached somebody."),
        Measure("offers.dealt", "A user got an offer code of a campaign.", by: [.item]),
        Measure(
            "purchases.started", "A purchase became a user's. Sandbox and simulation are left out.",
            by: [.item]),
        Measure("purchases.renewed", "A further period was paid or given.", by: [.item]),
        Measure("purchases.ended", "Apple said that a purchase has expired.", by: [.item]),
        Measure("purchases.refunded", "Apple took a period back.", by: [.item]),
        Measure("rewards.earned", "A user earned a reward of a program.", by: [.item]),
        Measure("rewards.flagged", "A rule held a reward back, or blocked it.", by: [.item]),
        Measure("rewards.approved", "A user got a reward.", by: [.item]),
        Measure("rewards.ended", "A reward ended before it was given.", by: [.item, .cause]),
        Measure("rewards.clawed_back", "A reward was taken back.", by: [.item]),
    ]

    static func named(_ name: String) -> Measure? { all.first { $0.name == name } }
}
