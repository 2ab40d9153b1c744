import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import Events
@testable import Kernel
@testable import Kith
@testable import Web
@testable import Webhooks

/// A server with an endpoint of its own in this process, which keeps what it gets.
struct WebhookStage: Sendable {
    let app: TestApp
    let receiver: Receiver
    let keys: HTTPFields
    let policy: WebhookPolicy

    /// What came to the endpoint.
    struct Arrival: Sendable {
        var path: String
        var id: String
        var timestamp: String
        var signatures: String
        var body: [UInt8]

        var type: String { json["type"] as? String ?? "" }
        var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        }
        /// Of the user to whom it happened.
        var uid: String? { ((json["data"] as? [String: Any])?["user"] as? [String: Any])?["uid"] as? String }

        func isSigned(by secret: String) -> Bool {
            guard let seconds = Int64(timestamp), let secret = WebhookSecret(secret) else { return false }
            return secret.signed(signatures, id: id, timestamp: seconds, body: body)
        }
    }

    final class Receiver: Sendable {
        private let arrived = Mutex<[Arrival]>([])
        private let answering: Mutex<@Sendable (Arrival) async -> Response>
        let port = Mutex(0)

        init(_ answer: @escaping @Sendable (Arrival) async -> Response) {
            answering = Mutex(answer)
        }

        var arrivals: [Arrival] { arrived.withLock { $0 } }

        func arrivals(at path: String) -> [Arrival] { arrivals.filter { $0.path == path } }

        func answer(_ answer: @escaping @Sendable (Arrival) async -> Response) {
            answering.withLock { $0 = answer }
        }

        func take(_ request: Request) async throws -> Response {
            let body = try await request.body.collect(upTo: 1 << 20)
            func header(_ name: String) -> String {
                HTTPField.Name(name).flatMap { request.headers[$0] } ?? ""
            }
            let arrival = Arrival(
                path: request.uri.path, id: header("webhook-id"), timestamp: header("webhook-timestamp"),
                signatures: header("webhook-signature"), body: Array(body.readableBytesView))
            arrived.withLock { $0.append(arrival) }
            return await answering.withLock { $0 }(arrival)
        }
    }

    /// - Parameter isServed: whether a worker delivers from the beginning.
    static func run(
        _ adjust: (inout WebhookPolicy) -> Void = { _ in }, world: World = .live, isServed: Bool = true,
        answer: @escaping @Sendable (Arrival) async -> Response = { _ in Response(status: .noContent) },
        _ test: @Sendable (WebhookStage) async throws -> Void
    ) async throws {
        var policy = WebhookPolicy()
        policy.reach = .isAll
        policy.retries = [0.05]
        policy.saving = .milliseconds(100)
        (policy.firstProbe, policy.lease) = (0.05, 3)
        adjust(&policy)
        let settled = policy
        let receiver = Receiver(answer)
        let router = Router()
        router.post("**") { request, _ in try await receiver.take(request) }
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: quiet)
        try await server.test(.live) { client in
            receiver.port.withLock { $0 = client.port ?? 0 }
            try await TestApp.run(
                configure: {
                    TestApp.withConsole(&$0)
                    $0.webhooks = settled
                    $0.secretsKey = SecretsKey(Data(repeating: 7, count: 32).base64EncodedString())
                }, world: world
            ) { app in
                let stage = WebhookStage(
                    app: app, receiver: receiver, keys: try await app.keyed(), policy: settled)
                try await app.signUp("ann")
                try await EventStore(db: app.db).number()
                let numbering = Task { try await stage.numbering().run() }
                let worker = isServed ? stage.startWorker() : nil
                let outcome: Result<Void, any Error>
                do { outcome = .success(try await test(stage)) } catch { outcome = .failure(error) }
                numbering.cancel()
                worker?.cancel()
                _ = await (numbering.result, worker?.result)
                try outcome.get()
            }
        }
    }

    static let quiet = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    private func numbering() -> EventService {
        EventService(
            store: EventStore(db: app.db), feed: app.app.events, policy: EventPolicy(), logger: Self.quiet)
    }

    /// - Parameter metrics: of another server; nil: of this one.
    func startWorker(
        _ adjust: (inout WebhookPolicy) -> Void = { _ in }, metrics: WebhookMetrics? = nil
    ) -> Task<Void, any Error> {
        var policy = policy
        adjust(&policy)
        let service = WebhookService(
            db: app.db, feed: app.app.events, policy: policy, key: app.app.config.secretsKey, days: 30,
            metrics: metrics ?? app.app.webhookMetrics, world: app.app.world, logger: Self.quiet)
        return Task { try await service.run() }
    }
}

/// Calls and waits.
extension WebhookStage {
    func url(_ path: String = "/hook") -> String {
        "http://127.0.0.1:\(receiver.port.withLock { $0 })\(path)"
    }

    /// Creates an endpoint; returns its id and secret.
    func create(_ path: String = "/hook", types: [String]? = nil) async throws -> (id: String, secret: String)
    {
        var body: Body = ["url": url(path)]
        if let types { body = ["url": url(path), "types": types] }
        let answer = try await app.call(.post, "/v1/admin/webhooks", headers: keys, body: body)
        try #require(answer.status == 201, "\(answer.text)")
        return (try #require(answer["id"]), try #require(answer["secret"]))
    }

    func show(_ id: String) async throws -> TestApp.Answer {
        try await app.get("/v1/admin/webhooks/\(id)", headers: keys)
    }

    func call(_ method: HTTPRequest.Method, _ path: String, _ body: Body? = nil) async throws
        -> TestApp.Answer
    {
        try await app.call(method, "/v1/admin/webhooks\(path)", headers: keys, body: body)
    }

    /// Writes events of a user as changes do.
    func tell(_ uid: String = "u-ann", count: Int = 1, kind: Event.Kind = .userRenamed) async throws {
        for number in 0..<count {
            try await app.db.write.run(
                EventStore.record(kind, User.ID(of: User.UID(stored: uid)), facts: ["number": "\(number)"]))
        }
    }

    /// Waits until the endpoint has all events.
    func waitUntilDone(_ id: String) async throws {
        try await waitUntil("delivery") {
            guard try await app.count("outbox") == 0 else { return false }
            let last = try await EventStore(db: app.db).last()
            let state = try await show(id)
            return state["position"] == "\(last)" && state["waiting"] == "0"
        }
    }
}

extension TestApp {
    /// Signs up so many users, and returns their uids.
    func signUpMany(_ count: Int) async throws -> [String] {
        var uids: [String] = []
        for number in 0..<count { uids.append(try await signUp("user\(number)")) }
        try await waitUntil("numbers") { try await self.count("outbox") == 0 }
        return uids
    }
}
