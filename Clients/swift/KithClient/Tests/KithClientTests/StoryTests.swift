import Foundation
import XCTest

@testable import KithClient

/// From the tap to the friendship, against a server.
final class StoryTests: XCTestCase {
    func testATapAnInstallAClaimAndASignUpMakeFriends() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        let annsApp = try Server.client(ann)
        let link = try await Server.signUp(ann)

        // Bob has no app: the page's button leads to Google Play, which hands the rest of the URL to the app
        // it installs.
        let store = try await Server.tap(link)
        let referrer = try XCTUnwrap(
            URLComponents(url: store, resolvingAgainstBaseURL: false)?.value("referrer"))
        _ = try await annsApp.rename(to: "\(ann.name)_new")

        let storage = MemoryStorage()
        let bobsApp = try Server.client(bob, storage: storage)
        let answer = try await bobsApp.claimOnFirstLaunch(
            InstallEvidence(platform: .android, referrer: referrer))
        let claim = try XCTUnwrap(answer)
        XCTAssertEqual(claim.confidence, .exact)
        XCTAssertEqual(claim.inviter?.name, "Ann")
        XCTAssertEqual(claim.friendship, .friends)

        // The walkthrough takes days, and the app ends in between.
        let later = try Server.client(bob, storage: storage)
        let invite = try await later.pendingInvite()
        XCTAssertEqual(invite, .claim(claim))
        let signUp = try await later.signUp(username: bob.name, invite: invite)
        XCTAssertEqual(signUp.invite.outcome, .accepted)
        XCTAssertEqual(signUp.invite.friendship, .friends)
        let friends = try await later.friends()
        XCTAssertEqual(friends.entries.map(\.uid), [ann.uid])
        XCTAssertNil(friends.next)
        XCTAssertLessThan(abs(try XCTUnwrap(friends.entries.first).since.timeIntervalSinceNow), 60)
        let pending = try await later.pendingInvite()
        XCTAssertNil(pending)
        // Later starts bring the invite not back.
        let silent = Mischief([])
        let started = try await Server.client(bob, storage: storage, transport: silent)
            .claimOnFirstLaunch(InstallEvidence(platform: .android, referrer: referrer))
        XCTAssertNil(started)
        XCTAssertEqual(silent.requests.count, 0)
        let others = try await annsApp.friends()
        XCTAssertEqual(others.entries.map(\.uid), [bob.uid])
    }

    func testAnAppClaimsBeforeAnybodySignsIn() async throws {
        let (ann, bob, storage) = (try Server.user(), try Server.user(), MemoryStorage())
        let link = try await Server.signUp(ann)
        let app = try Server.client(Server.nobody(), storage: storage)
        let claim = try await app.claimOnFirstLaunch(InstallEvidence(pasteboard: "\(link.url)"))
        XCTAssertEqual(claim?.inviter?.uid, ann.uid)
        let invite = try XCTUnwrap(claim.map { KithInvite.claim($0) })
        let resolved = try await app.resolve(invite)
        XCTAssertEqual(resolved.inviter.uid, ann.uid)
        XCTAssertNil(resolved.relationship)
        let free = try await app.availability(of: bob.name)
        XCTAssertTrue(free.available)
        await expect(.forbidden, 403) { _ = try await app.me() }
        let signedIn = try Server.client(bob, storage: storage)
        let signUp = try await signedIn.signUp(username: bob.name, invite: signedIn.pendingInvite())
        XCTAssertEqual(signUp.invite.friendship, .friends)
    }

    func testADeepLinkThatOpensTheAppLeadsOn() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        let invite = try await Server.signUp(ann)
        let app = try Server.client(bob)
        let domain = try Server.url().appendingPathComponent("l")
        func long(_ target: String) throws -> URL {
            try XCTUnwrap(URL(string: "\(domain)/?link=\(KithLink.encode(target))&imv=1.2"))
        }
        let page = try await app.deepLink(try long("\(try Server.url())/party"))
        XCTAssertEqual(page?.target, try Server.url().appendingPathComponent("party"))
        XCTAssertEqual(page?.parameters, ["imv": "1.2"])
        let nothing = try await app.pendingInvite()
        XCTAssertNil(nothing)
        let link = try await app.deepLink(try long(invite.url.absoluteString))
        XCTAssertEqual(link?.target, invite.url)
        let pending = try await app.pendingInvite()
        XCTAssertEqual(pending, .link(invite.url))
        for other in ["https://example.org/", "\(domain)/nothing-here", "mailto:ann@example.com"] {
            let none = try await app.deepLink(try XCTUnwrap(URL(string: other)))
            XCTAssertNil(none)
        }
    }

    func testALostAnswerToAClaimGivesTheSameClaim() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        let link = try await Server.signUp(ann)
        let (storage, transport) = (
            MemoryStorage(), Mischief([.loseAnswer, .loseAnswer, .loseAnswer, .loseAnswer])
        )
        let evidence = InstallEvidence(pasteboard: link.url.absoluteString)
        do {
            _ = try await Server.client(bob, storage: storage, transport: transport).claimOnFirstLaunch(
                evidence)
            XCTFail("every answer was lost")
        } catch is URLError {}
        // The app starts again, with the same installation.
        let again = try Server.client(bob, storage: storage, transport: transport)
        let first = try await again.claimOnFirstLaunch(evidence)
        XCTAssertEqual(first?.inviter?.uid, ann.uid)
        XCTAssertEqual(Set(transport.requests.map(\.httpBody)).count, 1, "one installation")
        // From now on the server is not asked.
        let second = try await again.claimOnFirstLaunch(evidence)
        XCTAssertEqual(second, first)
        XCTAssertEqual(transport.requests.count, 5)
    }

    func testALostAnswerToASignUpGivesTheSameSignUp() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        let annsApp = try Server.client(ann)
        let link = try await Server.signUp(ann)
        let transport = Mischief([.loseAnswer])
        let app = try Server.client(bob, transport: transport)
        try await app.handle(url: link.shortUrl)
        let invite = try await app.pendingInvite()
        let signUp = try await app.signUp(username: bob.name, invite: invite)
        XCTAssertEqual(signUp.invite.friendship, .friends)
        XCTAssertEqual(transport.requests.count, 2)
        let friends = try await annsApp.friends()
        XCTAssertEqual(friends.entries.map(\.uid), [bob.uid])
    }

    func testALinkThatIsOpenedDuringTheSignUpStays() async throws {
        let (ann, cat, bob) = (try Server.user(), try Server.user(), try Server.user())
        let (anns, cats) = (try await Server.signUp(ann), try await Server.signUp(cat))
        let (stream, gate) = AsyncStream<Void>.makeStream()
        let transport = Mischief([.hold(stream)])
        let app = try Server.client(bob, transport: transport)
        try await app.handle(url: anns.url)
        async let signUp = app.signUp(username: bob.name)
        try await transport.held()
        try await app.handle(url: cats.url)
        gate.finish()
        let inviter = try await signUp.invite.inviter
        XCTAssertEqual(inviter?.uid, ann.uid)
        let pending = try await app.pendingInvite()
        XCTAssertEqual(pending, .link(cats.url))
    }

    func testWhoCameByNoLinkIsAskedOnce() async throws {
        let bob = try Server.user()
        let (storage, transport) = (MemoryStorage(), Mischief([]))
        let evidence = InstallEvidence(
            platform: .android, referrer: "utm_source=google-play&utm_medium=organic")
        for _ in 1...3 {
            let claim = try await Server.client(bob, storage: storage, transport: transport)
                .claimOnFirstLaunch(evidence)
            XCTAssertNil(claim)
        }
        XCTAssertEqual(transport.requests.count, 1)
        // An iPhone that knows nothing does not ask at all.
        let claim = try await Server.client(bob, transport: transport).claimOnFirstLaunch(InstallEvidence())
        XCTAssertNil(claim)
        XCTAssertEqual(transport.requests.count, 1)
    }

    func testCallsAtTheSameTimeClaimOnce() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        let link = try await Server.signUp(ann)
        let (stream, gate) = AsyncStream<Void>.makeStream()
        let transport = Mischief([.hold(stream)])
        let app = try Server.client(bob, transport: transport)
        let evidence = InstallEvidence(pasteboard: link.url.absoluteString)
        async let one = app.claimOnFirstLaunch(evidence)
        try await transport.held()
        async let two = app.claimOnFirstLaunch(evidence)
        try await Task.sleep(nanoseconds: 50_000_000)
        gate.finish()
        let claims = try await [one, two]
        XCTAssertNotNil(claims[0])
        XCTAssertEqual(claims[0], claims[1])
        XCTAssertEqual(transport.requests.count, 1)
    }

    func testAPasteDuringTheFirstQuestionIsAskedAfterIt() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        let link = try await Server.signUp(ann)
        let (stream, gate) = AsyncStream<Void>.makeStream()
        let transport = Mischief([.hold(stream)])
        let app = try Server.client(bob, transport: transport)
        async let first = app.claimOnFirstLaunch(InstallEvidence(facts: .ofThisPhone))
        try await transport.held()
        async let pasted = app.claimOnFirstLaunch(InstallEvidence(pasteboard: link.url.absoluteString))
        try await Task.sleep(nanoseconds: 50_000_000)
        gate.finish()
        let claims = try await [first, pasted]
        XCTAssertNil(claims[0])
        XCTAssertEqual(claims[1]?.inviter?.uid, ann.uid)
    }

    func testALinkThatWasOpenedFirstStaysTheInvite() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        let link = try await Server.signUp(ann)
        let transport = Mischief([])
        let app = try Server.client(bob, transport: transport)
        try await app.handle(url: link.shortUrl)
        let evidence = InstallEvidence(pasteboard: link.url.absoluteString, facts: .ofThisPhone)
        for _ in 1...2 {
            let claim = try await app.claimOnFirstLaunch(evidence)
            XCTAssertEqual(claim?.inviter?.uid, ann.uid)
        }
        XCTAssertEqual(transport.requests.count, 1)
        let invite = try await app.pendingInvite()
        XCTAssertEqual(invite, .link(link.shortUrl))
    }

    func testALinkThatIsOpenedLaterWinsOverTheClaim() async throws {
        let (ann, cat, bob) = (try Server.user(), try Server.user(), try Server.user())
        let anns = try await Server.signUp(ann)
        let cats = try await Server.signUp(cat)
        let app = try Server.client(bob)
        _ = try await app.claimOnFirstLaunch(InstallEvidence(pasteboard: anns.url.absoluteString))
        let link = try await app.handle(url: cats.url)
        XCTAssertEqual(link, .user(username: cat.name, invitedBy: cat.uid, code: nil))
        let other = try await app.handle(url: try XCTUnwrap(URL(string: "https://example.org/")))
        XCTAssertNil(other)
        let invite = try await app.pendingInvite()
        XCTAssertEqual(invite, .link(cats.url))
        let resolved = try await app.resolve(try XCTUnwrap(invite))
        XCTAssertEqual(resolved.inviter.uid, cat.uid)
    }
}
