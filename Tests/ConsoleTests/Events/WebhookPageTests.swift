import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Console
@testable import Events
@testable import Kernel
@testable import Webhooks

/// Endpoints and events at the console.
@Suite(.inTurns) struct WebhookPageTests {
    @Test func `an endpoint's page tests it, tells its errors, and sends one event or all again`()
        async throws
    {
        try await WebhookStage.run(isServed: false) { stage in
            let id = try await stage.create().id
            let page = "/webhooks/\(id)"
            let ann = try await stage.app.signIn("ann@example.com", [.admin])
            let tested = try await stage.app.submit(page, "test", [:], as: ann)
            #expect(tested.status == 200 && tested.text.contains("The endpoint took it."), "\(tested.text)")
            #expect(tested.text.contains("<code>204</code>"))
            stage.receiver.answer { _ in Response(status: .badGateway) }
            let failed = try await stage.app.submit(page, "test", [:], as: ann)
            #expect(failed.text.contains("It did not arrive: it answers with status 502."))
            try await stage.tell(count: 2)
            try await waitUntil("numbers") { try await stage.app.count("outbox") == 0 }
            try await stage.app.db.write.run(
                """
                INSERT INTO webhook_deliveries (webhook_id, event_id, user_id, attempts, first_failed_at, last_error, dead_at)
                SELECT w.id, e.id, e.user_id, 12, now(), 'it answers with status 500', now()
                FROM webhooks w, events e WHERE e.type <> 'user.signed_up'
                """)
            let shown = try await stage.app.get(page, headers: ann).text
            #expect(shown.components(separatedBy: "value=\"again\"").count == 3, "\(shown)")
            let one = try await stage.app.submit(page, "again", [:], as: ann)
            #expect(one.headers[.location] == "\(page)?done=webhooks.redelivered", "\(one.text)")
            #expect(try await stage.app.count("webhook_deliveries WHERE dead_at IS NOT NULL") == 1)
            _ = try await stage.app.submit(page, "redeliver", [:], as: ann)
            #expect(try await stage.app.count("webhook_deliveries WHERE dead_at IS NOT NULL") == 0)
            _ = try await stage.app.submit(page, "pause", [:], as: ann)
            let paused = try await stage.app.get(page, headers: ann).text
            #expect(paused.contains("It is paused and gets nothing.") && paused.contains(">Go on<"))
        }
    }

    @Test func `an endpoint without types gets the usual ones`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            let ann = try await stage.app.signIn("ann@example.com", [.admin])
            let made = try await stage.app.submit(
                "/webhooks/new", "create", ["url": stage.url()], as: ann)
            #expect(made.status == 200 && made.text.contains("whsec_"), "\(made.text)")
        }
    }

    @Test func `events are shown newest first, with ways to older and newer ones, and by type`() async throws
    {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            for name in ["ann", "bob"] { try await app.signUp(name) }
            let rename: Body = ["username": "anna"]
            #expect(try await app.call(.put, "/v1/me/username", as: "u-ann", body: rename).status == 200)
            try await app.numberEvents()
            let admin = try await app.signIn("ann@example.com", [.admin])
            let newest = try await app.get("/events/all", headers: admin).text
            #expect(newest.contains("data-refreshes=\"5\""))
            func place(_ text: String, _ page: String) -> String.Index? {
                page.firstRange(of: text)?.lowerBound
            }
            let (renamed, bob) = (place("from: ann", newest), place("href=\"/people/u-bob\"", newest))
            #expect(try #require(renamed) < #require(bob), "\(newest)")
            #expect(!newest.contains("before="), "there are no older ones")
            let signUps = try await app.get("/events/all?type=user.signed_up", headers: admin).text
            #expect(signUps.contains("u-bob") && !signUps.contains("from: ann"))
            let first = try #require(signUps.matches(of: /<code>(\d{16})<\/code>/).last).1
            let newer = try await app.get("/events/all?after=\(first)", headers: admin).text
            #expect(try #require(place("from: ann", newer)) < #require(place("u-bob", newer)))
        }
    }

    @Test func `the ways to older and newer events end with the events`() async throws {
        try await TestApp.run(configure: TestApp.withConsole) { app in
            try await app.signUp("ann")
            try await app.db.write.run(
                """
                INSERT INTO outbox (user_id, type, facts)
                SELECT u.id, 'invite.revoked', '{"code":"x","kind":"custom"}' FROM users u, generate_series(1, 60) n
                """)
            try await app.numberEvents()
            let admin = try await app.signIn("ann@example.com", [.admin])
            func way(_ parameter: String, in page: String) -> String? {
                page.matches(of: /href="(\/events\/all\?[^"]*)"/).map { String($0.1) }
                    .first { $0.contains("\(parameter)=") }
            }
            let newest = try await app.get("/events/all", headers: admin).text
            #expect(way("after", in: newest) == nil && newest.contains("data-refreshes"))
            let older = try #require(way("before", in: newest), "\(newest)")
            let end = try await app.get(older, headers: admin).text
            #expect(end.contains("u-ann") && way("before", in: end) == nil && !end.contains("data-refreshes"))
            let newer = try await app.get(try #require(way("after", in: end)), headers: admin).text
            #expect(way("after", in: newer) == nil && way("before", in: newer) != nil, "\(newer)")
            func rows(_ page: String) -> Int { page.components(separatedBy: "<tr>").count }
            #expect(rows(newer) == rows(newest))
        }
    }

    @Test func `each type of events has words`() {
        for language in ["en", "ja"] {
            let words = Words.chosen(wish: language, acceptLanguage: nil, zone: .gmt)
            let told = Set(words.choices(under: "events.kind.").map(\.value))
            #expect(told == Set(Event.Kind.allCases.map(\.rawValue)))
        }
    }
}
