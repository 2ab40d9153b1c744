import Charts
import Counts
import Events
import Kernel
import Rollout
import Visits
import Web

/// Something that is counted, and of which people ask numbers.
///
/// Another measure is a row of `all`, and what adds to it, as `CountedEvent.tallies`. It has names in
/// `NumbersWords`, and rows in docs/numbers.md and in the table of `MeasureTests`.
package struct Measure: Sendable {
    /// Its name in calls, such as `links.clicks`.
    let name: String
    /// What one of it is.
    let summary: String
    /// The measures of `counts` whose sum it is.
    let counted: [String]
    /// By what it divides.
    let dimensions: [CountDimension]
    let counting: Aggregation
    let scope: Scope
    /// The measure of which it is a share. Nil if it is of none.
    let base: String?
    /// Whether its values may be summed. If not, as of different units, it is divided by `item` unless one of
    /// them is asked for.
    let addsUp: Bool
    /// Of what length of time it counts the different ones: whoever comes in two of them counts in both, so
    /// they do not add up. Nil if it counts how often something happened.
    let distinct: ChartUnit?
    /// For how many days something may still be counted on a day that is over.
    let growsFor: Int
    /// The values of `cause`.
    let causes: [String]

    /// What of its rows counts.
    enum Aggregation: Sendable {
        /// How often it happened.
        case times
        /// How many different ones there were on a day.
        case members
        /// How often it happened, and how long it took.
        case durations
        /// How many there were at the end of a time.
        case levels
        /// How many different ones there were in a month.
        case months
    }

    /// Of what there are numbers beside those of everything.
    enum Scope: Sendable {
        case everything
        /// Of a domain of deep links, and of one of its short links.
        case links
        /// Of a version of an app.
        case versions
    }

    /// Beside its dimensions, by what its numbers are filtered.
    var filters: [String] {
        guard scope == .links else { return [] }
        // Somebody may visit several links, so different visitors do not add up.
        return ["domain", "link"] + (counting == .members ? [] : ["tag"])
    }

    /// Whether its old days become months. The calls of versions have a table of their own.
    var becomesMonths: Bool { name != "versions.calls" }

    private init(
        _ name: String, _ summary: String, of counted: [String]? = nil, by dimensions: [CountDimension] = [],
        counting: Aggregation = .times, scope: Scope = .everything, base: String? = nil, addsUp: Bool = true,
        distinct: ChartUnit? = nil, growsFor: Int = 0, causes: [String] = []
    ) {
        (self.name, self.summary, self.counted) = (name, summary, counted ?? [name])
        (self.counting, self.scope, self.base, self.addsUp) = (counting, scope, base, addsUp)
        self.dimensions = counting == .durations ? [.seconds] : dimensions
        (self.distinct, self.growsFor, self.causes) = (distinct, growsFor, causes)
    }

    private static let origin: [CountDimension] = [.platform, .country, .language, .app, .campaign]
    private static let came: [CountDimension] = [.platform] + CountDimension.campaigns
    private static let visit: [CountDimension] = [
        .platform, .country, .referrer, .source, .medium, .campaign, .language, .browser, .via,
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
            of: ["links.page", "links.redirect"], counting: .members, scope: .links, distinct: .day),
        Measure(
            "links.installs", "An app came from a store by a deep link.", of: ["links.install"],
            by: came, scope: .links),
        Measure(
            "links.first_opens", "An app started for the first time by a deep link.", of: ["links.firstOpen"],
            by: came, scope: .links),
        Measure(
            "links.reopens", "A deep link opened an app that was there already.", of: ["links.reopen"],
            by: came, scope: .links),
        Measure(
            "links.sign_ups", "Somebody signed up who came by a deep link.", by: origin, scope: .links,
            base: "people.sign_ups"),
        Measure(
            "links.friendships",
            "Two became friends of whom one had signed up by the other's invite, and came by a deep link.",
            scope: .links, base: "friendships.made"),
        Measure(
            "invites.pages", "A visitor opened an invite.", of: ["invites.page", "invites.redirect"],
            by: visit + [.kind, .app]),
        Measure(
            "invites.visitors", "Different visitors of a day. Somebody who comes on two days counts on both.",
            of: ["invites.page", "invites.redirect"], counting: .members, distinct: .day),
        Measure(
            "invites.taps", "A visitor went from the page of an invite to a store.", of: ["invites.tap"],
            by: visit + [.kind, .app]),
        Measure(
            "invites.installs", "An app came from a store by an invite.", of: ["invites.install"],
            by: came + [.app]),
        Measure(
            "invites.first_opens", "An app started for the first time by an invite.",
            of: ["invites.firstOpen"], by: came + [.app]),
        Measure(
            "invites.sign_ups", "Somebody signed up by an invite.", by: [.kind] + origin,
            base: "people.sign_ups"),
        Measure(
            "invites.friendships", "Two became friends of whom one had signed up by the other's invite.",
            by: [.kind], base: "friendships.made"),
        Measure(
            "invites.passed_on",
            "Somebody who had signed up by an invite brought their first friend themselves.",
            base: "invites.sign_ups"),
        Measure(
            "invites.time_to_share",
            "Somebody first opened an invite of a user: how long after their sign-up.",
            counting: .durations),
        Measure(
            "invites.time_to_friendship",
            "Two became friends by an invite: how long after the way to the store.", counting: .durations),
        Measure(
            "cohorts.opened_7", "Invites of those who signed up that day were opened within 7 days.",
            base: "people.sign_ups", growsFor: 7),
        Measure(
            "cohorts.opened_30", "Invites of those who signed up that day were opened within 30 days.",
            of: ["cohorts.opened_7", "cohorts.opened_30"], base: "people.sign_ups", growsFor: 30),
        Measure(
            "cohorts.joined_7",
            "Somebody signed up by an invite of those who signed up that day, within 7 days: the share is k.",
            base: "people.sign_ups", growsFor: 7),
        Measure(
            "cohorts.joined_30",
            "Somebody signed up by an invite of those who signed up that day, within 30 days: the share is k.",
            of: ["cohorts.joined_7", "cohorts.joined_30"], base: "people.sign_ups", growsFor: 30),
        Measure("invites.made", "A user made a custom link, or got a short code.", by: [.kind]),
        Measure(
            "versions.installations",
            "Different installations that asked for a policy on a day. One that is updated counts with both versions.",
            by: [.version, .platform, .app, .os], scope: .versions, distinct: .day),
        Measure(
            "versions.calls", "An app asked for a policy.", by: [.version, .platform, .app, .cause],
            scope: .versions, causes: VersionCountStore.answers),
        Measure(
            "people.sign_ups", "Somebody signed up, invited or alone.", by: [.cause] + origin,
            causes: ["invited", "alone"]),
        Measure(
            "people.active", "Different people who called with a token of their own on a day.",
            distinct: .day),
        Measure(
            "people.active_monthly", "Different people who called in a month, told on its first day.",
            counting: .months, distinct: .month),
        Measure(
            "people.accounts", "Active accounts, by how many friends each has.", by: [.friends],
            counting: .levels),
        Measure("people.deletions", "A user deleted their account."),
        Measure("people.suspensions", "An operator suspended a user."),
        Measure("people.returns", "An operator restored a user."),
        Measure("people.renames", "A user took another username."),
        Measure(
            "friendships.made", "Two became friends, by an invite or otherwise.", by: [.cause],
            causes: ["invite", "other"]),
        Measure("friendships.ended", "Two are no longer friends."),
        Measure("friendships.requested", "A request reached somebody."),
        Measure(
            "friendships.answered",
            "A request was accepted or declined, or it was withdrawn, or whoever asked is gone.",
            by: [.cause], base: "friendships.requested", causes: ["accepted", "declined", "withdrawn"]),
        Measure(
            "offers.free", "Codes that a campaign can still deal.", by: [.item], counting: .levels),
        Measure(
            "offers.expiring", "Codes that nobody has, and that expire within 30 days.", by: [.item],
            counting: .levels),
        Measure("offers.redeemed", "A purchase began or was renewed by an offer.", by: [.item]),
        Measure("offers.dealt", "A user got an offer code of a campaign.", by: [.item]),
        Measure(
            "purchases.started", "A purchase became a user's. Sandbox and simulation are left out.",
            by: [.item]),
        Measure("purchases.renewed", "A further period was paid or given.", by: [.item]),
        Measure("purchases.ended", "Apple said that a purchase has expired.", by: [.item]),
        Measure("purchases.refunded", "Apple took a period back.", by: [.item]),
        Measure("rewards.earned", "A user earned a reward of a program.", by: [.item]),
        Measure(
            "rewards.flagged", "A rule held a reward back, or blocked it.", by: [.item, .cause],
            causes: ["flag", "block"]),
        Measure("rewards.approved", "A user got a reward.", by: [.item]),
        Measure("rewards.settled", "A user redeemed the code that their reward was.", by: [.item]),
        Measure("rewards.waiting", "Rewards in their hold.", by: [.item], counting: .levels),
        Measure("rewards.held", "Rewards that wait for an operator.", by: [.item], counting: .levels),
        Measure(
            "rewards.owed", "What users have and did not spend or redeem, by its unit.", by: [.item],
            counting: .levels, addsUp: false),
        Measure(
            "rewards.ended", "A reward ended before it was given.", by: [.item, .cause],
            causes: ["cap", "operator", "unused"]),
        Measure("rewards.clawed_back", "A reward was taken back.", by: [.item]),
    ]

    static func named(_ name: String) -> Measure? { all.first { $0.name == name } }

    /// Those of which a month keeps what was last.
    package static let levels = Set(all.filter { $0.counting == .levels }.map(\.name))
}

/// What numbers divide into.
extension Measure {
    /// Returns all values that a dimension has. Nil if they come from outside.
    func values(of dimension: CountDimension) -> [String]? {
        switch dimension {
        case .platform:
            scope == .versions
                ? AppPlatform.allCases.map(\.rawValue) : Click.Platform.allCases.map(\.rawValue)
        case .kind: ["name", "personal", "custom"]
        case .via: ["qr"]
        case .cause: causes
        case .friends: LevelStore.friends
        case .country, .referrer, .source, .medium, .campaign, .language, .browser, .app, .item, .seconds,
            .version, .os:
            nil
        }
    }
}
