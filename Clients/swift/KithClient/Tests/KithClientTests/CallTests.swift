import Foundation
import XCTest

@testable import KithClient

/// What each call sends and reads, against a server.
final class CallTests: XCTestCase {
    func testAnAccount() async throws {
        let user = try Server.user()
        let app = try Server.client(user)
        let free = try await app.availability(of: user.name)
        XCTAssertTrue(free.available)
        let odd = try await app.availability(of: "花 /?")
        XCTAssertFalse(odd.available)
        XCTAssertNotNil(odd.reason)
        let signUp = try await app.signUp(username: user.name, displayName: "花", metadata: ["level": "1"])
        XCTAssertEqual(signUp.invite.outcome, .none)

        var account = try await app.update(ProfileChange(displayName: .set("Hana")))
        XCTAssertEqual(account.metadata, ["level": "1"], "what is kept is not sent")
        account = try await app.update(ProfileChange(displayName: .remove, metadata: .remove, invites: .ask))
        XCTAssertNil(account.displayName)
        XCTAssertNil(account.metadata)
        XCTAssertEqual(account.invites, .ask)
        let me = try await app.me()
        XCTAssertEqual(me.counts.friends, 0)
        XCTAssertEqual(me.invites, .ask)
        let link = try await app.rotateLink()
        XCTAssertNotEqual(link.code, me.link.code)
        try await app.deleteAccount()
        await expect(.accountDeleted, 403) { _ = try await app.me() }
    }

    func testFriends() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        let (annsApp, bobsApp) = (try Server.client(ann), try Server.client(bob))
        let link = try await Server.signUp(ann)
        _ = try await bobsApp.signUp(username: bob.name)

        let asked = try await bobsApp.want(ann.uid)
        XCTAssertEqual(asked, .outgoing)
        let screen = try await annsApp.addFriendScreen()
        XCTAssertEqual(screen.requests.map(\.uid), [bob.uid])
        XCTAssertEqual(screen.link, link.url)
        XCTAssertEqual(screen.me.counts.incoming, 1)
        let accepted = try await annsApp.want(bob.uid)
        XCTAssertEqual(accepted, .friends)
        let found = try await bobsApp.friends(prefix: "an")
        XCTAssertEqual(found.entries.map(\.name), ["Ann"])
        let ended = try await bobsApp.unwant(ann.uid)
        XCTAssertEqual(ended, .none)
        // Who parted leaves a request by the code only if the other wants; this one did not part.
        let blocked = try await annsApp.block(bob.uid)
        XCTAssertEqual(blocked, .blocked)
        let lifted = try await annsApp.unblock(bob.uid)
        XCTAssertEqual(lifted, .none)
        let users = try await annsApp.users([bob.uid, "nobody / at all"])
        XCTAssertEqual(users.map(\.uid), [bob.uid, "nobody / at all"])
        XCTAssertNil(users.last?.name)
        let named = try await annsApp.user(named: bob.name.uppercased())
        XCTAssertEqual(named.uid, bob.uid)
        await expect(.userNotFound, 404) { _ = try await annsApp.user("nobody / at all") }
        await expect(.selfInvite, 422) { _ = try await annsApp.accept(.link(link.url)) }
    }

    func testProblems() async throws {
        let (ann, bob) = (try Server.user(), try Server.user())
        _ = try await Server.client(ann).signUp(username: ann.name)
        let app = try Server.client(bob)
        await expect(.notSignedUp, 403) { _ = try await app.me() }
        await expect(.usernameTaken, 409, field: "username") {
            _ = try await app.signUp(username: ann.name.uppercased())
        }
        await expect(.usernameInvalid, 422, field: "username") { _ = try await app.signUp(username: "a__b") }
        await expect(.inviteNotFound, 404) { _ = try await app.resolve(.code("0000000000000000")) }
        let lost = try await app.signUp(username: bob.name, invite: .code("0000000000000000"))
        XCTAssertEqual(lost.invite.outcome, .ignored)
        XCTAssertEqual(lost.invite.reason, .notFound)
    }
}

/// Fails unless the call fails with this problem.
func expect(
    _ code: KithProblem.Code, _ status: Int, field: String? = nil, line: UInt = #line,
    _ call: () async throws -> Void
) async {
    do {
        try await call()
        XCTFail("no problem", line: line)
    } catch let problem as KithProblem {
        XCTAssertEqual(problem.code, code, line: line)
        XCTAssertEqual(problem.status, status, line: line)
        XCTAssertEqual(problem.field, field, line: line)
        XCTAssertFalse((problem.requestId ?? "").isEmpty, line: line)
    } catch {
        XCTFail("\(error)", line: line)
    }
}
