import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Events
@testable import Kernel
@testable import Web
@testable import Webhooks

/// What operators do with endpoints, and what becomes of those that want nothing.
@Suite(.inTurns) struct WebhookAdminTests {
    @Test func `after a new secret both sign for a day`() async throws {
        try await WebhookStage.run { stage in
            let (id, old) = try await stage.create()
            let answer = try await stage.call(.post, "/\(id)/secret")
            let new = try #require(answer["secret"])
            #expect(answer["oldSecretUntil"] != nil && new != old)
            try await stage.tell()
            try await stage.waitUntilDone(id)
            let arrival = try #require(stage.receiver.arrivals.first)
            #expect(arrival.isSigned(by: old) && arrival.isSigned(by: new))
            #expect(arrival.signatures.wholeMatch(of: /v1,[A-Za-z0-9+\/=]{44} v1,[A-Za-z0-9+\/=]{44}/) != nil)
            // Perhaps nobody read the answer before.
            let newest = try #require(await stage.call(.post, "/\(id)/secret")["secret"])
            try await stage.tell()
            try await stage.waitUntilDone(id)
            let next = try #require(stage.receiver.arrivals.last)
            #expect([old, new, newest].map { next.isSigned(by: $0) } == [true, true, true])
            try await stage.app.db.write.run("UPDATE webhooks SET old_until = now(), revision = revision + 1")
            try await stage.tell()
            try await stage.waitUntilDone(id)
            #expect(stage.receiver.arrivals.last?.isSigned(by: old) == false)
            #expect(stage.receiver.arrivals.last?.isSigned(by: newest) == true)
        }
    }

    @Test func `a secret whose day is over signs never again, whatever secret comes after it`() async throws {
        try await WebhookStage.run { stage in
            let (id, first) = try await stage.create()
            let second = try #require(try await stage.call(.post, "/\(id)/secret")["secret"])
            // The day is over.
            try await stage.app.db.write.run("UPDATE webhooks SET old_until = now(), revision = revision + 1")
            let third = try #require(try await stage.call(.post, "/\(id)/secret")["secret"])
            try await stage.tell()
            try await stage.waitUntilDone(id)
            let arrival = try #require(stage.receiver.arrivals.last)
            #expect([first, second, third].map { arrival.isSigned(by: $0) } == [false, true, true])
        }
    }

    @Test func `an endpoint that answers 410 is paused until an operator resumes it`() async throws {
        try await WebhookStage.run(answer: { _ in Response(status: .gone) }) { stage in
            let (id, _) = try await stage.create()
            try await stage.tell(count: 3)
            try await waitUntil("paused") { try await stage.show(id)["state"] == "paused" }
            #expect(try await stage.show(id)["lastError"] == "it answers with status 410")
            stage.receiver.answer { _ in Response(status: .ok) }
            let before = stage.receiver.arrivals.count
            try await Task.sleep(for: .milliseconds(500))
            #expect(stage.receiver.arrivals.count == before)
            #expect(try await stage.call(.patch, "/\(id)", ["paused": false])["state"] == "active")
            try await stage.waitUntilDone(id)
            #expect(Set(stage.receiver.arrivals.map(\.id)).count == 3)
        }
    }

    @Test func `a redirect is a failure and is not followed`() async throws {
        try await WebhookStage.run { stage in
            let (id, _) = try await stage.create()
            let elsewhere = stage.url("/elsewhere")
            stage.receiver.answer { arrival in
                arrival.path == "/hook"
                    ? Response.redirect(to: elsewhere, type: .temporary) : Response(status: .ok)
            }
            try await stage.tell()
            try await waitUntil("an error") {
                try await stage.show(id)["lastError"] == "it answers with status 307"
            }
            #expect(stage.receiver.arrivals(at: "/elsewhere").isEmpty)
        }
    }

    @Test
    func
        `an event that fails for too long is a dead letter, the user's next one goes on, and it can be sent again`()
        async throws
    {
        try await WebhookStage.run({ ($0.failures, $0.giveUpAfter) = (.max, 0.3) }) { stage in
            let (id, _) = try await stage.create()
            let refused = Mutex("")
            stage.receiver.answer { arrival in
                let bad = refused.withLock { one in
                    if one.isEmpty { one = arrival.id }
                    return one
                }
                return Response(status: arrival.id == bad ? .badRequest : .ok)
            }
            try await stage.tell(count: 4)
            try await waitUntil("a dead letter") { try await stage.show(id)["dead"] == "1" }
            try await stage.waitUntilDone(id)
            #expect(Set(stage.receiver.arrivals.map(\.id)).count == 4)
            let list = try await stage.call(.get, "/\(id)/dead")
            let letter = try #require((list.json["events"] as? [[String: Any]])?.first)
            #expect(letter["eventId"] as? String == refused.withLock { $0 })
            #expect(letter["lastError"] as? String == "it answers with status 400")
            stage.receiver.answer { _ in Response(status: .ok) }
            #expect(try await stage.call(.post, "/\(id)/redeliver", ["dead": true])["dead"] == "1")
            try await stage.waitUntilDone(id)
            #expect(try await stage.app.count("webhook_deliveries") == 0)
            #expect(stage.receiver.arrivals.last?.id == refused.withLock { $0 })
        }
    }

    @Test func `events are sent again one by one, and since a time`() async throws {
        try await WebhookStage.run { stage in
            let (id, _) = try await stage.create()
            let began = Date()
            try await stage.tell(count: 5)
            try await stage.waitUntilDone(id)
            let ids = stage.receiver.arrivals.map(\.id)
            #expect(try await stage.call(.post, "/\(id)/redeliver", ["eventId": ids[2]]).status == 202)
            try await waitUntil("the event again") { stage.receiver.arrivals.count == 6 }
            #expect(stage.receiver.arrivals.last?.id == ids[2])
            // What is not written as delivered would come once more.
            try await stage.waitUntilDone(id)
            let since = JSON.timestamp(began)
            #expect(try await stage.call(.post, "/\(id)/redeliver", ["since": since]).status == 202)
            try await waitUntil("all again") { stage.receiver.arrivals.count == 11 }
            #expect(stage.receiver.arrivals.suffix(5).map(\.id) == ids)
            try await stage.waitUntilDone(id)
        }
    }

    @Test
    func `a test event is posted at once, signed, and tells what came of it, even of a paused endpoint`()
        async throws
    {
        try await WebhookStage.run { stage in
            let (id, secret) = try await stage.create(types: ["user.deleted"])
            #expect(try await stage.call(.patch, "/\(id)", ["paused": true]).status == 200)
            let good = try await stage.call(.post, "/\(id)/test")
            let arrival = try #require(stage.receiver.arrivals.first)
            #expect(arrival.isSigned(by: secret) && arrival.type == "webhook.test")
            #expect(good["eventId"] == arrival.id && arrival.id.hasPrefix("test-"))
            #expect(good.json["delivered"] as? Bool == true && good.json["status"] as? Int == 204)
            #expect(good.json["milliseconds"] is Int && good["error"] == nil)
            stage.receiver.answer { _ in Response(status: .internalServerError) }
            let bad = try await stage.call(.post, "/\(id)/test")
            #expect(bad.json["delivered"] as? Bool == false && bad.json["status"] as? Int == 500)
            #expect(bad["error"] == "it answers with status 500")
            // It is no event, and the endpoint is as it was.
            let shown = try await stage.show(id)
            #expect(shown["state"] == "paused" && shown["lastError"] == nil && shown["dead"] == "0")
            #expect(try await stage.call(.post, "/x/test").code == "webhook_not_found")
            #expect(try await stage.app.count("audit WHERE act = 'test_webhook'") == 2)
        }
    }

    @Test func `only so many test events are sent within a minute`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            let id = try await stage.create().id
            for _ in 1...WebhookTest.mostPerMinute {
                #expect(try await stage.call(.post, "/\(id)/test").status == 200)
            }
            let refused = try await stage.call(.post, "/\(id)/test")
            #expect((refused.status, refused.code) == (429, "too_many_tests"))
            #expect(refused.headers[.retryAfter] == "60")
            #expect(stage.receiver.arrivals.count == WebhookTest.mostPerMinute)
        }
    }

    @Test func `an event of a type that the endpoint does not get is not sent again`() async throws {
        try await WebhookStage.run(isServed: false) { stage in
            let id = try await stage.create(types: ["user.deleted"]).id
            try await stage.tell(kind: .userRenamed)
            try await waitUntil("a number") { try await stage.app.count("outbox") == 0 }
            let event: Body = ["eventId": "\(try await EventStore(db: stage.app.db).last())"]
            let refused = try await stage.call(.post, "/\(id)/redeliver", event)
            #expect((refused.status, refused.code) == (404, "event_not_found"))
            #expect(
                try await stage.call(.patch, "/\(id)", ["types": ["user.renamed"]]).status == 200)
            #expect(try await stage.call(.post, "/\(id)/redeliver", event).status == 202)
        }
    }

    @Test func `an event is sent again though one before it is not through`() async throws {
        try await WebhookStage.run { stage in
            try await stage.app.signUp("bob")
            try await EventStore(db: stage.app.db).number()
            let (id, _) = try await stage.create()
            let isFree = Mutex(false)
            stage.receiver.answer { arrival in
                while arrival.uid == "u-ann", !isFree.withLock({ $0 }) {
                    try? await Task.sleep(for: .milliseconds(20))
                }
                return Response(status: .ok)
            }
            try await stage.tell()
            try await waitUntil("ann's is on its way") { stage.receiver.arrivals.count == 1 }
            try await stage.tell("u-bob")
            func came() -> [WebhookStage.Arrival] { stage.receiver.arrivals.filter { $0.uid == "u-bob" } }
            try await waitUntil("bob's came") { came().count == 1 }
            let event = try #require(came().first).id
            #expect(try await stage.call(.post, "/\(id)/redeliver", ["eventId": event]).status == 202)
            isFree.withLock { $0 = true }
            try await waitUntil("bob's came again") { came().count == 2 }
            try await stage.waitUntilDone(id)
        }
    }

    @Test func `of a deleted user the endpoint hears nothing but that`() async throws {
        try await WebhookStage.run(answer: { _ in Response(status: .serviceUnavailable) }) { stage in
            let (id, _) = try await stage.create()
            try await stage.app.signUp("bob")
            try await waitUntil("an error") { try await stage.show(id)["lastError"] != nil }
            #expect(try await stage.app.call(.delete, "/v1/me", as: "u-bob").status == 204)
            let before = stage.receiver.arrivals.count
            stage.receiver.answer { _ in Response(status: .ok) }
            try await stage.waitUntilDone(id)
            // Those that were under way while bob deleted the account may still name them.
            let after = stage.receiver.arrivals.dropFirst(before + 1)
            for arrival in after where arrival.type != "user.deleted" {
                let text = String(decoding: arrival.body, as: UTF8.self)
                #expect(!text.contains("bob"), "\(text)")
            }
            #expect(after.contains { $0.type == "user.deleted" && $0.uid == "u-bob" })
            #expect(try await stage.app.count("webhook_deliveries") == 0)
        }
    }

    @Test
    func `only so many endpoints may be, with known types and sound URLs, and with a key for their secrets`()
        async throws
    {
        try await WebhookStage.run({ $0.mostWebhooks = 2 }, isServed: false) { stage in
            let id = try await stage.create().id
            _ = try await stage.create()
            #expect(try await stage.call(.post, "", ["url": stage.url()]).code == "too_many_webhooks")
            for (body, field) in [
                (["url": "x"], "url"), (["url": stage.url(), "types": ["x"]], "types"),
                (["url": stage.url(), "types": [String]()], "types"),
                (["url": stage.url(), "types": ["user.renamed", "user.renamed"]], "types"),
            ] as [(Body, String)] {
                let answer = try await stage.call(.post, "", body)
                #expect(answer.status == 400 && answer["field"] == field, "\(answer.text)")
            }
            let unknown = try await stage.call(
                .post, "", ["url": stage.url(), "types": ["user.renamed", "x"]])
            #expect(unknown["detail"]?.contains("there is no `x`") == true)
            let shown = try await stage.show(id)
            #expect((shown.json["types"] as? [String])?.contains("friend.updated") == false)
            #expect(shown["secret"] == nil)
            let changed = try await stage.call(
                .patch, "/\(id)", ["types": ["friend.updated"], "url": stage.url("/b")])
            #expect(
                changed.json["types"] as? [String] == ["friend.updated"] && changed["url"] == stage.url("/b"))
            for body in [
                #"{}"#, #"{"dead":false}"#, #"{"dead":true,"eventId":"1"}"#, #"{"eventId":"x"}"#,
                #"{"since":"x"}"#,
                #"{"since":"2999-01-01T00:00:00Z"}"#,
            ] {
                #expect(try await stage.call(.post, "/\(id)/redeliver", "\(body)").status == 400, "\(body)")
            }
            #expect(
                try await stage.call(.post, "/\(id)/redeliver", ["eventId": "1"]).code == "event_not_found")
            #expect(try await stage.call(.delete, "/\(id)").status == 204)
            #expect(try await stage.call(.delete, "/\(id)").code == "webhook_not_found")
            #expect(try await stage.show("x").code == "webhook_not_found")
        }
        try await TestApp.run { app in
            let answer = try await app.call(
                .post, "/v1/admin/webhooks", headers: app.keyed(), body: ["url": "https://hooks.example.com/"]
            )
            #expect(answer.status == 409 && answer.code == "no_secrets_key")
            #expect(answer["detail"]?.contains("KITH_SECRETS_KEY") == true)
        }
    }
}
