import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// `kith restored`: what phones and the file of deletions make of a database that came back, or moved.
@Suite(.inTurns) struct RestoreTests {
    private static let (old, older, now) = (number(1), number(2), number(3))

    private static func number(_ server: Int) -> DatabaseNumber {
        // swift-format-ignore: NeverForceUnwrap
        DatabaseNumber("\(server).16384")!
    }

    @Test func `a noted database is read as it is written`() {
        for noted in [
            NotedDatabase(Self.now), NotedDatabase(Self.now, shown: Self.old),
            NotedDatabase(Self.now, shown: Self.now, before: Self.old),
        ] { #expect(NotedDatabase(noted.description) == noted) }
        for text in ["", "1.2", "1.2 3", "1.2 3.4 5.6 7.8", "x.1 2.3", "1.2 3.4 x"] {
            #expect(NotedDatabase(text) == nil, "\(text)")
        }
    }

    @Test func `phones are given the noted number only for the database of which it was noted`() {
        let noted = NotedDatabase(Self.now, shown: Self.old)
        #expect(NotedDatabase.shown(for: Self.now, noted) == Self.old)
        #expect(NotedDatabase.shown(for: Self.older, noted) == Self.older)
        #expect(NotedDatabase.shown(for: Self.now, nil) == Self.now)
    }

    @Test func `what is adopted is what phones were given before, whether or not a server began since`() {
        // Nobody served yet.
        #expect(
            NotedDatabase(Self.old, shown: Self.older).adopting(Self.now)
                == NotedDatabase(Self.now, shown: Self.older))
        // A server noted the new number.
        #expect(
            NotedDatabase(Self.now, before: Self.old).adopting(Self.now)
                == NotedDatabase(Self.now, shown: Self.old))
        // A second time, and without a change, there is nothing.
        #expect(NotedDatabase(Self.now, shown: Self.old).adopting(Self.now) == nil)
        #expect(NotedDatabase(Self.now).adopting(Self.now) == nil)
    }

    private func noted(_ db: Database) async throws -> NotedDatabase {
        let text = try await db.read.first(
            "SELECT convert_from(bytes, 'UTF8') FROM secrets WHERE name = 'database'"
        ) { try $0.next(as: String.self) }
        return try #require(NotedDatabase(text ?? ""))
    }

    /// As if the rows came from another server, by which phones know them.
    private func move(_ db: Database, from noted: NotedDatabase) async throws {
        try await db.write.run(
            "UPDATE secrets SET bytes = \(Array(noted.description.utf8)) WHERE name = 'database'")
    }

    @Test(arguments: [false, true])
    func `after an upgrade that lost nothing no phone reloads, once the operator says so`(served: Bool)
        async throws
    {
        try await TestApp.run { app in
            let store = RestoreStore(db: app.db)
            try await store.note()
            let here = try await noted(app.db).number
            #expect(try await noted(app.db) == NotedDatabase(here))
            #expect(try await !store.adopt(), "nothing has changed")

            let people = try await app.people("p", 2)
            try await app.befriend(people[0], people[1])
            try await move(app.db, from: NotedDatabase(here, shown: Self.old))
            var phone = SyncingPhone(app, people[0])
            try await phone.sync()

            try await move(app.db, from: NotedDatabase(Self.old))
            if served { try await store.note() }
            var impatient = phone
            try await impatient.sync()
            #expect(impatient.reloads == 1, "until then it may be a database that lost something")
            #expect(try await store.adopt())
            try await phone.sync()
            #expect((phone.reloads, phone.known) == (0, [people[1]: "friends"]))
            #expect(try await noted(app.db) == NotedDatabase(here, shown: Self.old))
            try await store.note()
            #expect(
                try await noted(app.db) == NotedDatabase(here, shown: Self.old), "a restart changes nothing")
        }
    }

    @Test func `after a restore that lost something an earlier database is not adopted`() async throws {
        try await TestApp.run { app in
            let store = RestoreStore(db: app.db)
            try await store.note()
            let here = try await noted(app.db).number
            try await move(app.db, from: NotedDatabase(Self.old))
            let people = try await app.people("p", 1)
            try await store.forgetPhones()
            #expect(try await noted(app.db) == NotedDatabase(here))
            #expect(try await !store.adopt())
            var phone = SyncingPhone(app, people[0])
            try await phone.sync()
            try await store.forgetPhones()
            try await phone.sync()
            #expect(phone.reloads == 1)
        }
    }
}
