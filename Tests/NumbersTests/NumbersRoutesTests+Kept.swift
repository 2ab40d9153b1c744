import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Events
@testable import Graph
@testable import Kernel
@testable import Kith
@testable import Numbers
@testable import Web

/// What numbers tell after long, after floods, and beside servers of other versions.
extension NumbersRoutesTests {
    @Test func `a campaign that begins after a hundred others is counted like them`() async throws {
        try await run { app, viewer in
            func visit(_ campaigns: String, _ times: Int) async throws {
                try await app.db.write.run(
                    """
                    INSERT INTO clicks (link, event, platform, parts)
                    SELECT 'https://go.example.com/party', 'page', 'ios', 'utm_campaign=' || \(Statement(text: campaigns))
                    FROM generate_series(1, \(Int64(times))) AS n
                    """)
                try await app.count()
            }
            try await visit("'old' || n % 100", 3000)
            for _ in 0..<30 { try await visit("'spring' || (n - n)", 20) }
            try await visit("'invented' || n", 3000)
            #expect(try await total(app, viewer, "links.clicks", "utm_campaign=spring0") == 600)
            let answer = try await series(app, viewer, "links.clicks?by=utm_campaign&limit=100")
            #expect(answer["spring0"] == 600 && answer["old7"] == 30)
            #expect(try await total(app, viewer, "links.clicks", "by=utm_campaign") == 6600)
        }
    }

    @Test func `a month of long ago is told whole, whatever form is asked for`() async throws {
        try await run { app, viewer in
            let (year, key) = ("2020-06", APIKeyStore(db: app.db))
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count)
                SELECT '', 'people.sign_ups', DATE '2020-06-01' + n, 1000 FROM generate_series(0, 29) AS n
                """)
            try await CountStore(db: app.db).keepMonths(CountPolicy())
            let admin: HTTPFields = [
                .authorization: "Bearer \(try await key.create(name: "support", scope: .support))"
            ]
            let query = "from=\(year)-10&to=\(year)-12"
            let path = "/v1/admin/numbers/people.sign_ups?\(query)"
            for per in ["", "&per=day", "&per=week"] {
                let refused = try await app.get(path + per, headers: viewer)
                #expect(refused.status == 400 && refused["field"] == "from", "\(refused.text)")
            }
            let told = try await app.get("\(path)&per=month", headers: viewer)
            #expect(told["from"] == "2020-06-01" && told["to"] == "2020-06-30" && told["total"] == "30000")
            let funnel = try await app.get("/v1/admin/numbers/invites.funnel?\(query)", headers: viewer)
            #expect(funnel["from"] == "2020-06-01" && funnel["to"] == "2020-06-30", "\(funnel.text)")
            let inviters = try await app.get("/v1/admin/inviters?\(query)", headers: admin)
            #expect(inviters["from"] == "2020-06-01" && inviters["to"] == "2020-06-30", "\(inviters.text)")
            var headers = viewer
            headers[.accept] = "text/csv"
            let table = try await app.get("\(path)&per=month", headers: headers)
            #expect(table.text == "time,total\r\n2020-06-01,30000\r\n", "\(table.text)")
            headers[.accept] = "image/svg+xml"
            let picture = try await app.get("\(path)&per=month", headers: headers)
            #expect(picture.status == 200 && picture.text.contains("Jun 1 – Jun 30, 2020"), "\(picture.text)")
        }
    }

    @Test func `an event that only a later version knows waits an hour for it, and holds up those behind it`()
        async throws
    {
        try await run { app, viewer in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            try await EventStore(db: app.db).number()
            try await app.signUp("cat")
            try await app.db.write.run(
                "UPDATE events SET type = 'user.born' WHERE user_id = user_id('u-bob')")
            try await app.count()
            #expect(try await total(app, viewer, "people.sign_ups") == 1)
            try await app.db.write.run(
                "UPDATE events SET type = 'user.signed_up' WHERE user_id = user_id('u-bob')")
            for _ in 0..<2 { try await app.count() }
            #expect(try await total(app, viewer, "people.sign_ups") == 3, "a later version counts it")
            try await app.signUp("dan")
            try await EventStore(db: app.db).number()
            try await app.db.write.run(
                "UPDATE events SET type = 'user.born', at = now() - interval '61 minutes' WHERE user_id = user_id('u-dan')"
            )
            try await app.signUp("eve")
            try await app.count()
            #expect(try await total(app, viewer, "people.sign_ups") == 4, "nobody waits for ever")
        }
    }

    @Test func `who else was told that a friendship ended is looked up near that time alone`() async throws {
        try await run { app, viewer in
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            try await app.act(.unwant, "u-bob", on: "u-ann")
            for _ in 0..<2 { try await EventStore(db: app.db).number() }
            // Of the two events the first counts. Without it the second one does.
            try await app.db.write.run(
                """
                DELETE FROM events
                WHERE type = 'friend.ended' AND user_id = least(user_id('u-ann'), user_id('u-bob'))
                """)
            try await app.db.write.run(
                """
                INSERT INTO events (user_id, id, type, other_id, at)
                SELECT other_id, id - 61000000, type, user_id, at FROM events WHERE type = 'friend.ended'
                """)
            let last = try await app.db.read.first("SELECT max(id) FROM events WHERE type = 'friend.ended'") {
                try $0.next(as: Int64.self)
            }
            try await app.db.write.run(
                "UPDATE count_positions SET position = \(try #require(last) - 1) WHERE source = 'events'")
            try await app.count()
            #expect(try await total(app, viewer, "friendships.ended") == 1)
        }
    }
}
