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
print("Swift: signed up, listed friends, met username_taken")
