import Foundation
import XCTest

@testable import KithClient

/// The list of friends on the phone, against a server.
final class SyncTests: XCTestCase {
    private struct World {
        let ann: Server.User
        let link: InviteLink
        let friends: [Server.User]
    }

    /// Ann, and friends of hers.
    private func world(_ count: Int) async throws -> World {
        let ann = try Server.user()
        let link = try await Server.signUp(ann)
        let friends = try (0..<count).map { _ in try Server.user() }
        for friend in friends {
            _ = try await Server.client(friend).signUp(username: friend.name, invite: .link(link.url))
        }
        return World(ann: ann, link: link, friends: friends)
    }

    func testTheListFollowsTheServerPageByPage() async throws {
        let world = try await world(5)
        let storage = MemoryStorage()
        let transport = Mischief([])
        let app = try Server.client(world.ann, storage: storage, transport: transport)
        let sync = FriendSync(app, uid: world.ann.uid, pageSize: 2)
        let before = await sync.snapshot
        XCTAssertFalse(before.isComplete)
        try await sync.sync()
        var now = await sync.snapshot
        XCTAssertTrue(now.isComplete)
        XCTAssertEqual(now.friends.map(\.uid), world.friends.reversed().map(\.uid))
        XCTAssertGreaterThanOrEqual(transport.requests.count, 3)

        // One leaves, one renames, one blocks, and one asks.
        let newcomer = try Server.user()
        _ = try await Server.client(world.friends[0]).unwant(world.ann.uid)
        _ = try await Server.client(world.friends[1]).rename(to: "\(world.friends[1].name)_new")
        _ = try await Server.client(world.friends[2]).block(world.ann.uid)
        _ = try await Server.signUp(newcomer)
        _ = try await Server.client(newcomer).want(world.ann.uid)

        // The app starts again, and shows what it knew before it asks.
        let later = FriendSync(app, uid: world.ann.uid, pageSize: 1)
        let known = await later.snapshot
        XCTAssertEqual(known, now)
        try await later.sync()
        now = await later.snapshot
        XCTAssertEqual(Set(now.friends.map(\.uid)), Set([1, 3, 4].map { world.friends[$0].uid }))
        XCTAssertTrue(now.friends.contains { $0.username == "\(world.friends[1].name)_new" })
        XCTAssertEqual(now.incoming.map(\.uid), [newcomer.uid])
        XCTAssertEqual(now.relationship(to: world.friends[2].uid), .none)

        let accepted = try await later.want(newcomer.uid)
        XCTAssertEqual(accepted, .friends)
        let blocked = try await later.block(world.friends[3].uid)
        XCTAssertEqual(blocked, .blocked)
        now = await later.snapshot
        XCTAssertTrue(now.friends.contains { $0.uid == newcomer.uid })
        XCTAssertEqual(now.blocked.map(\.uid), [world.friends[3].uid])

        // The list of the server is the same.
        let list = try await app.friends()
        XCTAssertEqual(Set(now.friends.map(\.uid)), Set(list.entries.map(\.uid)))
        try await later.sync()
        try await later.sync()
        let last = try XCTUnwrap(transport.requests.last)
        XCTAssertNotNil(last.value(forHTTPHeaderField: "If-None-Match"))
    }

    func testAFailureInTheMiddleLosesNothing() async throws {
        let world = try await world(3)
        let storage = MemoryStorage()
        let app = try Server.client(world.ann, storage: storage)
        try await FriendSync(app, uid: world.ann.uid).sync()
        for friend in world.friends { _ = try await Server.client(friend).unwant(world.ann.uid) }

        // The second page never comes, and the app ends.
        let lost = Mischief([.pass, .loseCall, .loseCall, .loseCall, .loseCall])
        let dying = FriendSync(
            try Server.client(world.ann, storage: storage, transport: lost), uid: world.ann.uid, pageSize: 1)
        do {
            try await dying.sync()
            XCTFail("the second page was lost")
        } catch is URLError {}

        let next = Mischief([])
        let later = FriendSync(
            try Server.client(world.ann, storage: storage, transport: next), uid: world.ann.uid, pageSize: 1)
        let between = await later.snapshot
        XCTAssertEqual(between.friends.count, 2, "the first page is kept")
        try await later.sync()
        let now = await later.snapshot
        XCTAssertEqual(now.people, [])
    }

    func testAReloadForgetsWhatTheServerForgot() async throws {
        let world = try await world(2)
        let storage = MemoryStorage()
        let transport = Mischief([])
        let app = try Server.client(world.ann, storage: storage, transport: transport)
        let sync = FriendSync(app, uid: world.ann.uid)
        try await sync.sync()
        _ = try await Server.client(world.friends[0]).unwant(world.ann.uid)
        // More ends than the server keeps.
        struct Asked: Decodable {}
        for batch in 0..<6 {
            let uids = (0..<100).map { "nobody-\(batch)-\($0)" }
            _ = try await app.send(
                Call(method: "POST", path: "/v1/requests", body: ["uids": uids]), as: Asked.self)
            for uid in uids { _ = try await app.unwant(uid) }
        }
        let before = transport.requests.count
        try await sync.sync()
        let now = await sync.snapshot
        XCTAssertEqual(now.people.map(\.uid), [world.friends[1].uid])
        XCTAssertEqual(transport.requests.count - before, 2, "410, and then all")
    }

    func testACursorOfAnotherUserIsForgotten() async throws {
        let world = try await world(2)
        let storage = MemoryStorage()
        try await FriendSync(Server.client(world.friends[0], storage: storage), uid: world.friends[0].uid)
            .sync()
        storage.write("friends-\(world.ann.uid)", storage.read("friends-\(world.friends[0].uid)"))
        let sync = FriendSync(try Server.client(world.ann, storage: storage), uid: world.ann.uid)
        try await sync.sync()
        let now = await sync.snapshot
        XCTAssertEqual(Set(now.friends.map(\.uid)), Set(world.friends.map(\.uid)))
    }

    func testWhoListensIsTold() async throws {
        let world = try await world(1)
        let (stream, gate) = AsyncStream<Void>.makeStream()
        let transport = Mischief([.hold(stream)])
        let sync = FriendSync(try Server.client(world.ann, transport: transport), uid: world.ann.uid)
        var snapshots = await sync.snapshots.makeAsyncIterator()
        let first = await snapshots.next()
        XCTAssertEqual(first?.isComplete, false)
        async let one: Void = sync.sync()
        try await transport.held()
        async let two: Void = sync.sync()
        try await Task.sleep(nanoseconds: 50_000_000)
        gate.finish()
        _ = try await (one, two)
        XCTAssertEqual(transport.requests.count, 1, "calls at the same time share one")
        let second = await snapshots.next()
        XCTAssertEqual(second?.friends.map(\.uid), [world.friends[0].uid])
        try await sync.forget()
        let third = await snapshots.next()
        XCTAssertEqual(third?.people, [])
    }

    func testAnActShowsAlsoIfASyncBeganBefore() async throws {
        let world = try await world(1)
        let (stream, gate) = AsyncStream<Void>.makeStream()
        let transport = Mischief([.pass, .hold(stream)])
        let sync = FriendSync(try Server.client(world.ann, transport: transport), uid: world.ann.uid)
        try await sync.sync()
        async let slow: Void = sync.sync()
        try await transport.held()
        async let act = sync.unwant(world.friends[0].uid)
        while transport.requests.count < 3 { try await Task.sleep(nanoseconds: 1_000_000) }
        try await Task.sleep(nanoseconds: 100_000_000)
        gate.finish()
        _ = try await (slow, act)
        let now = await sync.snapshot
        XCTAssertEqual(now.people, [])
    }

    func testFilesSurviveAndBrokenOnesAreForgotten() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "kith-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let world = try await world(1)
        try await FriendSync(
            Server.client(world.ann, storage: FileStorage(folder: folder)), uid: world.ann.uid
        ).sync()
        let app = try Server.client(world.ann, storage: FileStorage(folder: folder))
        let kept = await FriendSync(app, uid: world.ann.uid).snapshot
        XCTAssertEqual(kept.friends.count, 1)
        let file = folder.appendingPathComponent("friends-\(world.ann.uid).json")
        try Data("{\"people\":{".utf8).write(to: file)
        let broken = FriendSync(app, uid: world.ann.uid)
        let empty = await broken.snapshot
        XCTAssertEqual(empty.people, [])
        try await broken.sync()
        let now = await broken.snapshot
        XCTAssertEqual(now.friends.count, 1)
        try await broken.forget()
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
    }
}
