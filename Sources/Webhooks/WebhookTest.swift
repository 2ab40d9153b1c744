import Foundation
import Kernel
import Web

/// A delivery of an event that nothing caused, by which an operator tests an endpoint.
struct WebhookTest: Sendable {
    /// How many may be sent within a minute, to all endpoints together.
    static let mostPerMinute = 20

    /// The event. No event of docs/events.md has its type, nor an id like this.
    struct Event: Encodable, Sendable {
        let id: String
        let type = "webhook.test"
        let timestamp: Date
        let audience = "backend"
        let data = ["badge": 0]

        init(world: World) {
            id = "test-\(Base32.text(of: world.randomBytes(16)))"
            timestamp = world.now()
        }
    }

    /// Which event it was.
    let id: String
    /// What the endpoint answered. Nil if it gave no answer.
    var status: Int?
    /// Why it does not count as delivered. Nil if it does.
    var error: String?
    var milliseconds = 0
}

extension WebhookSetup {
    /// Posts a test event to an endpoint once, beside all events and even if it is paused, and returns what
    /// came of it. Throws a `WebhookError`.
    func test(_ id: UUID, by actor: AuditActor) async throws -> WebhookTest {
        guard let secretsKey else { throw WebhookError.noSecretsKey }
        let target = try await store.beginTest(
            id, most: WebhookTest.mostPerMinute, noting: act(actor, .testWebhook, id))
        let event = WebhookTest.Event(world: world)
        var test = WebhookTest(id: event.id)
        guard
            let sender = WebhookSender(
                id, url: target.url, target.secrets, key: secretsKey, policy: policy, world: world)
        else {
            test.error = WebhookSender.unreadable
            return test
        }
        let began = ContinuousClock.now
        do {
            let status = try await sender.post(event, id: event.id).status
            test.status = status
            test.error = (200..<300).contains(status) ? nil : WebhookSender.refusal(status)
        } catch {
            test.error = error.reason
        }
        test.milliseconds = Int(began.duration(to: .now) / .milliseconds(1))
        await sender.close()
        return test
    }
}
