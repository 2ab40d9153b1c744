import Charts
import Counts
import Rollout

/// Of what there are numbers, and by what they divide.
extension Measure {
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
}
