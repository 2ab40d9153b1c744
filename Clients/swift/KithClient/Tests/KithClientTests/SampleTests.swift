import KithClient
import Sample
import XCTest

/// The sample app, without its views.
final class SampleTests: XCTestCase {
    @MainActor func testFromTheLinkToTheFriend() async throws {
        let (ann, bob, cat) = (try Server.user(), try Server.user(), try Server.user())
        let link = try await Server.signUp(ann)
        let model = SampleModel(try Server.client(bob), uid: bob.uid)
        await model.start()
        XCTAssertEqual(model.step, .welcome(nil))
        await model.paste(["hello"])
        XCTAssertEqual(model.step, .welcome(nil))
        await model.paste([link.url.absoluteString])
        guard case .welcome(let invite?) = model.step else { return XCTFail("\(model.step)") }
        XCTAssertEqual(invite.inviter.name, "Ann")

        await model.signUp(username: ann.name, displayName: "")
        XCTAssertEqual(model.message, "Somebody has this name.")
        await model.signUp(username: bob.name, displayName: "Bob")
        XCTAssertNil(model.message)
        XCTAssertEqual(model.step, .friends)
        XCTAssertEqual(model.people.friends.map(\.uid), [ann.uid])
        XCTAssertEqual(model.addFriend?.me.displayName, "Bob")

        // Now Bob has an account, and scans Cat's symbol.
        let cats = try await Server.signUp(cat)
        await model.open(cats.shortUrl)
        guard case .invited(let other) = model.step else { return XCTFail("\(model.step)") }
        XCTAssertEqual(other.inviter.uid, cat.uid)
        await model.answer(accepts: true)
        XCTAssertEqual(model.people.friends.map(\.uid).sorted(), [ann.uid, cat.uid].sorted())
        await model.unwant(cat.uid)
        XCTAssertEqual(model.people.friends.map(\.uid), [ann.uid])
        XCTAssertNil(model.message)
    }
}
