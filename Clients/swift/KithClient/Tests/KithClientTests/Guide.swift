// swift-format-ignore-file
// The code of docs/from-firebase.md and of README.md, word for word: GuideTests compares them, and the
// compiler reads it.
import Foundation
import KithClient
import KithDynamicLinks

#if canImport(CryptoKit)
    import CryptoKit
#endif

let clientKey = "kith_…"
func idToken(refresh: Bool) async throws -> String? { nil }
func show(_ invite: ResolvedInvite, asks: Bool) {}
func show(_ inviter: Profile, asks: Bool) {}
func show(_ page: URL) {}

let join = URL(string: "https://join.example.com")!
let kith = KithClient(baseURL: join, links: .init(linkURL: join, schemes: ["myapp", "com.example.app"])) { refresh in
    try await idToken(refresh: refresh) ?? clientKey
}

func opened(by url: URL) async throws {
    if try await kith.handle(url: url) == nil, let link = try await kith.deepLink(url) { show(link.target) }
    if let invite = try await kith.pendingInvite() { show(try await kith.resolve(invite), asks: invite.isLikely) }
}

func firstStart(pasted: String? = nil) async throws {
    _ = try await kith.claimOnFirstLaunch(InstallEvidence(pasteboard: pasted, facts: .ofThisPhone))
    if let invite = try await kith.pendingInvite() { show(try await kith.resolve(invite), asks: invite.isLikely) }
}

func signUp(_ username: String) async throws -> URL? {
    let answer = try await kith.signUp(username: username, invite: kith.pendingInvite())
    if answer.invite.friendship == .friends { print("Friends with \(answer.invite.inviter?.name ?? "")") }
    return answer.link?.url
}

func accept() async throws {
    guard let invite = try await kith.pendingInvite() else { return }
    let answer = try await kith.accept(invite)  // .friends by a code; by a name and uid .requested
    print(answer.friendship)
}

func notNow() async throws { try await kith.forgetInvite() }

func signedUp(_ answer: SignUp, saidYes: Bool) async throws {
    guard let invite = try await kith.pendingInvite(), invite.isLikely else { return }
    if saidYes { return try await accept() }
    if let inviter = answer.invite.inviter { show(inviter, asks: true) }
}

func wasNotInvited(by inviter: Profile) async throws {
    try await kith.forgetInvite()
    _ = try await kith.unwant(inviter.uid)  // declines the request that the sign-up left
}

func friends(of uid: String) async throws -> [Person] {
    let sync = FriendSync(kith, uid: uid)
    try? await sync.sync()  // without a connection: what the phone knows
    return await sync.snapshot.friends
}

func migrate(_ url: URL) -> Bool {
    DynamicLinks.kith = kith
    return DynamicLinks.dynamicLinks().handleUniversalLink(url) { dynamicLink, error in
        print(dynamicLink?.url ?? error ?? "nothing")
    }
}

func ask(_ policy: UpdatePolicy, mayPutOff: Bool) {}
func show(title: String) {}
func openStore(_ url: URL) {}

let server = URL(string: "https://join.example.com")!
let app = KithClient(baseURL: server, clientKey: "kith_…") { refresh in
    try await idToken(refresh: refresh) ?? "kith_…"
}

func becameActive() async {
    let policy = await app.updatePolicy()
    switch policy.action {
    case .soft: ask(policy, mayPutOff: true)  // at most every `snoozeHours`
    case .hard, .block: ask(policy, mayPutOff: false)
    default: break  // nothing to do, no answer, or an action of a newer server
    }
}

func startScreen() async {
    let values = await app.values()
    show(title: values["greeting"] ?? "Hello")
    await app.expose("greeting-test", in: values)  // the user sees it: sent once
}

func redeem() async throws {
    let code = try await app.offer("spring")  // again: the same code
    openStore(code.url)
}

func subscribed(_ jwsRepresentation: String) async throws -> Bool {
    _ = try await app.show(transaction: jwsRepresentation)
    return try await app.purchases().redemptions.contains { $0.campaign == "spring" && $0.active }
}

#if canImport(CryptoKit)
func isGenuine(_ body: Data, _ signature: Data) -> Bool {
    let key = Data(base64Encoded: "…").flatMap { try? Curve25519.Signing.PublicKey(rawRepresentation: $0) }
    return key?.isValidSignature(signature, for: body) ?? false
}
#endif
