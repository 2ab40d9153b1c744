import Sample
import XCTest

@testable import KithClient

/// Claims by facts of the phone alone, against a server that matches by them.
final class LikelyTests: XCTestCase {
    func testALikelyInviterIsAFriendOnceTheUserSaysYes() async throws {
        let (ann, bob, phone, storage) = (try Server.user(), try Server.user(), Phone(), MemoryStorage())
        let annsApp = try Server.client(ann)
        try await phone.tap(try await Server.signUp(ann))
        let app = try Server.client(bob, storage: storage, transport: phone)
        let claim = try await app.claimOnFirstLaunch(InstallEvidence(facts: Phone.facts))
        XCTAssertEqual(claim?.confidence, .likely)
        XCTAssertEqual(claim?.inviter?.uid, ann.uid)
        XCTAssertEqual(claim?.friendship, .incoming)

        let signUp = try await app.signUp(username: bob.name)
        XCTAssertEqual(signUp.invite.outcome, .accepted)
        XCTAssertEqual(signUp.invite.friendship, .incoming)
        XCTAssertEqual(signUp.invite.inviter?.uid, ann.uid)
        let friends = try await annsApp.friends()
        XCTAssertEqual(friends.entries.map(\.uid), [])

        // The app ends before the user answers.
        let later = try Server.client(bob, storage: storage, transport: phone)
        let pending = try await later.pendingInvite()
        let invite = try XCTUnwrap(pending)
        XCTAssertTrue(invite.isLikely)
        let resolved = try await later.resolve(invite)
        XCTAssertEqual(resolved.friendship, .friends)
        XCTAssertEqual(resolved.relationship, .incoming)
        let accepted = try await later.accept(invite)
        XCTAssertEqual(accepted.friendship, .friends)
        let after = try await annsApp.friends()
        XCTAssertEqual(after.entries.map(\.uid), [bob.uid])
        let left = try await later.pendingInvite()
        XCTAssertNil(left)
    }

    func testALikelyInviterWhoAsksIsAskedOnceTheUserSaysYes() async throws {
        let (ann, bob, phone) = (try Server.user(), try Server.user(), Phone())
        let annsApp = try Server.client(ann)
        let link = try await Server.signUp(ann)
        _ = try await annsApp.update(ProfileChange(invites: .ask))
        try await phone.tap(link)
        let app = try Server.client(bob, transport: phone)
        let claim = try await app.claimOnFirstLaunch(InstallEvidence(facts: Phone.facts))
        XCTAssertEqual(claim?.friendship, Friendship.none)
        let signUp = try await app.signUp(username: bob.name)
        XCTAssertEqual(signUp.invite.outcome, .accepted)
        XCTAssertEqual(signUp.invite.friendship, .none)
        let pending = try await app.pendingInvite()
        let accepted = try await app.accept(try XCTUnwrap(pending))
        XCTAssertEqual(accepted.friendship, .requested)
    }

    func testALinkThatTheUserPastesWinsOverALikelyClaim() async throws {
        let (ann, cat, bob, phone) = (try Server.user(), try Server.user(), try Server.user(), Phone())
        try await phone.tap(try await Server.signUp(ann))
        let cats = try await Server.signUp(cat)
        let app = try Server.client(bob, transport: phone)
        let guess = try await app.claimOnFirstLaunch(InstallEvidence(facts: Phone.facts))
        XCTAssertEqual(guess?.inviter?.uid, ann.uid)
        let pasted = try await app.claimOnFirstLaunch(
            InstallEvidence(pasteboard: cats.url.absoluteString, facts: Phone.facts))
        let claim = try XCTUnwrap(pasted)
        XCTAssertEqual(claim.confidence, .exact)
        let invite = try await app.pendingInvite()
        XCTAssertEqual(invite, .claim(claim))
        let signUp = try await app.signUp(username: bob.name)
        XCTAssertEqual(signUp.invite.friendship, .friends)
        XCTAssertEqual(signUp.invite.inviter?.uid, cat.uid)
        let left = try await app.pendingInvite()
        XCTAssertNil(left)
        let incoming = try await app.requests(.incoming)
        XCTAssertEqual(incoming.entries.map(\.uid), [])
    }

    @MainActor func testTheSampleAsksBeforeTheSignUp() async throws {
        let (ann, bob, phone) = (try Server.user(), try Server.user(), Phone())
        try await phone.tap(try await Server.signUp(ann))
        let model = try sample(bob, phone)
        await model.start()
        guard case .welcome(let invite?) = model.step else { return XCTFail("\(model.step)") }
        XCTAssertEqual(invite.inviter.uid, ann.uid)
        XCTAssertTrue(model.asksWhoInvited)
        await model.answer(accepts: true)
        XCTAssertFalse(model.asksWhoInvited)
        await model.signUp(username: bob.name, displayName: "Bob")
        XCTAssertNil(model.message)
        XCTAssertEqual(model.step, .friends)
        XCTAssertEqual(model.people.friends.map(\.uid), [ann.uid])
    }

    @MainActor func testTheSampleForgetsAnInviterWhomTheUserDoesNotKnow() async throws {
        let (ann, bob, phone) = (try Server.user(), try Server.user(), Phone())
        try await phone.tap(try await Server.signUp(ann))
        let model = try sample(bob, phone)
        await model.start()
        await model.answer(accepts: false)
        XCTAssertEqual(model.step, .welcome(nil))
        await model.signUp(username: bob.name, displayName: "")
        XCTAssertEqual(model.step, .friends)
        XCTAssertEqual(model.people.people, [])
    }

    @MainActor func testTheSampleAsksAgainUntilTheUserAnswers() async throws {
        let (ann, bob, phone, storage) = (try Server.user(), try Server.user(), Phone(), MemoryStorage())
        try await phone.tap(try await Server.signUp(ann))
        let first = try sample(bob, phone, storage)
        await first.start()
        await first.signUp(username: bob.name, displayName: "")
        guard case .invited = first.step else { return XCTFail("\(first.step)") }

        let second = try sample(bob, phone, storage)
        await second.start()
        guard case .invited(let invite) = second.step else { return XCTFail("\(second.step)") }
        XCTAssertTrue(second.asksWhoInvited)
        XCTAssertEqual(invite.inviter.uid, ann.uid)
        XCTAssertEqual(second.people.incoming.map(\.uid), [ann.uid])
        await second.answer(accepts: false)
        XCTAssertEqual(second.step, .friends)
        XCTAssertEqual(second.people.people, [])
        XCTAssertNil(second.message)

        let third = try sample(bob, phone, storage)
        await third.start()
        XCTAssertEqual(third.step, .friends)
    }

    @MainActor private func sample(
        _ user: Server.User, _ phone: Phone, _ storage: MemoryStorage = MemoryStorage()
    ) throws -> SampleModel {
        let app = try Server.client(user, storage: storage, transport: phone)
        return SampleModel(app, uid: user.uid, facts: Phone.facts)
    }
}
