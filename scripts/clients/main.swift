import Foundation
import KithClient

// What an app does first, by the client that openapi-generator made of openapi.yaml: sign up by a friend's link, list friends,
// switch their invites off, and meet a name that is taken.
let environment = ProcessInfo.processInfo.environment

func client(_ token: String) -> KithClientAPIConfiguration {
    KithClientAPIConfiguration(
        basePath: environment["BASE_URL"] ?? "",
        customHeaders: ["Authorization": "Bearer \(environment[token] ?? "")"])
}

let me = client("TOKEN")
let answer = try await SignupAPI.signUp(
    signup: Signup(
        username: "swift_hana", displayName: "花", invite: InviteReference(url: environment["LINK"])),
    apiConfiguration: me)
precondition(answer.invite.outcome == .accepted && answer.invite.friendship == .friends, "\(answer)")

let page = try await FriendsAPI.listFriends(limit: 10, order: .recent, apiConfiguration: me)
precondition(page.friends.map(\.uid) == ["u-1"] && page.next == nil, "\(page)")
precondition(abs(page.friends[0].since.timeIntervalSinceNow) < 600, "a time with milliseconds is read")

_ = try await MeAPI.updateMe(profileChange: ProfileChange(invites: .off), apiConfiguration: me)
let start = try await MeAPI.showMe(apiConfiguration: me)
precondition(start.invites == .off && start.displayName == "花", "\(start)")

let again = Signup(username: "Swift_Hana")
do {
    _ = try await SignupAPI.signUp(signup: again, apiConfiguration: client("OTHER_TOKEN"))
    fatalError("the name is taken")
} catch {
    guard case ErrorResponse.error(let status, let data, _, _) = error, let data else { throw error }
    let problem = try JSONDecoder().decode(Problem.self, from: data)
    precondition(status == 409 && problem.code == .usernameTaken && problem.field == "username", "\(problem)")
}
// What the operator set for the app, by its key, and for the user.
let key = client("CLIENT_KEY")
let policy = try await UpdatesAPI.showPolicy(
    platform: .ios, version: "3.9", os: "17", language: "ja", apiConfiguration: key)
precondition(policy.action == .hard && policy.target == "5.2" && policy.title == "更新してください", "\(policy)")
let values = try await ExperimentsAPI.showValues(platform: .ios, unit: "swift", apiConfiguration: key)
precondition(values.values["hint"] == "tap" && values.experiments.count == 1, "\(values)")
let part = values.experiments[0]
try await ExperimentsAPI.expose(
    exposure: Exposure(
        unit: "swift", experiment: part.experiment, phase: part.phase, variation: part.variation,
        assignment: part.assignment),
    apiConfiguration: key)
let offer = try await MeAPI.dealOffer(campaign: "spring", apiConfiguration: me)
precondition(offer.url.contains(offer.code) && offer.expiresAt ?? .distantPast > Date(), "\(offer)")
let purchases = try await MeAPI.listMyPurchases(apiConfiguration: me)
precondition(purchases.assigned.map(\.campaign) == ["spring"] && purchases.purchases.isEmpty, "\(purchases)")
// What happened, each with what its type has.
let events = try await OperatorsAPI.listEvents(limit: 500, apiConfiguration: client("ADMIN_KEY")).events
let started = events.compactMap { event in
    if case .typePurchaseEvent(let event) = event, event.type == .purchasePeriodStarted { event.data } else { nil }
}
precondition(started.map(\.active) == [true] && started.map(\.quantity) == [1], "\(events)")
let used = events.compactMap { event in
    if case .typeInviteUsedEvent(let event) = event { event.data.invitee?.uid } else { nil }
}
precondition(used.contains("schema-tester"), "\(events)")
print("Swift: signed up, listed friends, met username_taken; policy, values, exposure, offer, purchases, events")
