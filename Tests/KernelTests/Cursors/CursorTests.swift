import Crypto
import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Imports
@testable import Kernel
@testable import Web

@Suite(.inTurns) struct CursorTests {
    private static let ann = User.ID(of: User.UID(stored: "u-ann"))
    private static let bob = User.ID(of: User.UID(stored: "u-bob"))

    @Test func `two cursors of the same place differ, and each process reads both`() async throws {
        try await TestApp.run { app in
            let cursors = Cursors(keys: CursorKeyStore(db: app.db))
            let list = Cursors.List(name: "friends", owner: Self.ann.uuid)
            let place = Cursor(at: Date(), id: UUID())
            let one = try #require(try await cursors.text(place, list))
            let other = try #require(try await cursors.text(place, list))
            #expect(one != other && one.count == other.count)
            let elsewhere = Cursors(keys: CursorKeyStore(db: app.db))
            for text in [one, other] { #expect(try await elsewhere.read(text, list) == place) }
        }
    }

    @Test func `a cursor reveals no time, no user and no name of the database server`() async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 4)
            for uid in people[1...3] { try await app.befriend(people[0], uid) }
            let server = try #require(
                try await app.db.write.first(
                    "SELECT to_hex(system_identifier) FROM pg_control_system()"
                ) { try $0.next(as: String.self) })
            let times = try await app.db.write.rows(
                "SELECT (extract(epoch FROM created_at) * 1000000)::bigint::text FROM users"
            ).map { try $0.next(as: String.self) }
            let ids = people.map { User.ID(of: User.UID(stored: $0)).uuid }
            let telling = [server] + times + ids.map(\.uuidString) + people
            for path in ["friends?limit=1", "friends?limit=1&order=name", "me/changes"] {
                let text = try #require(try await app.get("/v1/\(path)", as: people[0])["next"])
                let bytes = try #require(Base64URL.decode(Array(text.utf8)[...]))
                let shown = String(decoding: bytes, as: UTF8.self)
                for word in telling { #expect(!shown.contains(word), "\(path): \(word)") }
                for id in ids { #expect(Data(bytes).range(of: Data(id.bytes)) == nil, "\(path)") }
            }
        }
    }

    @Test func `a cursor works only for its own list and user, whatever the names of lists contain`()
        async throws
    {
        try await TestApp.run { app in
            let cursors = Cursors(keys: CursorKeyStore(db: app.db))
            let names = [
                "mutual a", "mutual a|b", "mutual a|", "mutual", "", "|", "mutual a|\(Self.ann.uuid)",
                "mutual a|\(Self.bob.uuid)", "mutual a|\(Self.bob.uuid)|", "3|mutual a",
            ]
            let lists = names.flatMap { name in
                [Self.ann, Self.bob].map { Cursors.List(name: name, owner: $0.uuid) }
            }
            let place = Cursor(parts: [Self.bob.uuid.uuidString, "0", UUID().uuidString])
            for list in lists {
                let text = try #require(try await cursors.text(place, list))
                for other in lists {
                    if (other.name, other.owner) == (list.name, list.owner) {
                        #expect(try await cursors.read(text, other) == place)
                    } else {
                        await #expect(throws: Problem.self) { try await cursors.read(text, other) }
                    }
                }
            }
        }
    }

    @Test(arguments: [
        [], [""], ["", ""], ["a|b", "|", ""], ["|"], ["花", "\u{0}", "a\nb"],
        [String(repeating: "1,", count: 40_000), "x"],
    ])
    func `the parts of a cursor are restored unchanged`(parts: [String]) async throws {
        try await TestApp.run { app in
            let cursors = Cursors(keys: CursorKeyStore(db: app.db))
            let list = Cursors.List(name: "any", owner: Self.ann.uuid)
            let text = try await cursors.text(Cursor(parts: parts), list)
            #expect(try await cursors.read(text, list)?.parts == parts)
        }
    }

    @Test func `a cursor of an earlier version is refused`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let secret = try #require(
                try await app.db.write.first("SELECT bytes FROM secrets WHERE name = 'cursors'") {
                    try $0.next(as: [UInt8].self)
                })
            let payload = Array("0|\(UUID())".utf8)
            for version in [UInt8(2), 3] {
                let signed = Array("\(version)|friends recent |\(Self.ann.uuid)|".utf8) + payload
                let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: secret))
                let answer = try await app.get(
                    "/v1/friends?after=\(Base64URL.encode([version] + code + payload))", as: "u-ann")
                #expect((answer.status, answer["field"]) == (400, "after"))
            }
        }
    }

    @Test(arguments: ["order=name", "prefix=A%7C"])
    func `names with the former separator of cursors are listed by pages`(query: String) async throws {
        try await TestApp.run { app in
            let names = ["a|", "a|b", "a|b|", "a||", "A|c|\(UUID())"]
            let lines = names.enumerated().map { "u-\($0),\($1)\n" }.joined()
            let report = try await app.importUsers("uid,username\n\(lines)", keepNames: true)
            #expect(report.imported == names.count)
            try await app.signUp("ann")
            for place in names.indices { try await app.befriend("u-ann", "u-\(place)") }
            let listed = try await app.list(
                "/v1/friends?\(query)", "friends", "username", as: "u-ann", limit: 1)
            #expect(listed.sorted() == names.sorted())
            let next = try #require(
                try await app.get("/v1/friends?limit=1&prefix=a%7C", as: "u-ann")["next"])
            for other in ["prefix=a", "prefix=a%7Cb", "order=name"] {
                let answer = try await app.get("/v1/friends?limit=1&\(other)&after=\(next)", as: "u-ann")
                #expect((answer.status, answer["field"]) == (400, "after"), "\(other)")
            }
        }
    }
}
