package import Events
package import Foundation
package import Kernel
package import Web

/// Creates and changes endpoints, for operators' calls and commands.
package struct WebhookSetup: Sendable {
    let store: WebhookStore
    let events: EventStore
    let secretsKey: SecretsKey?
    let policy: WebhookPolicy
    let world: World

    package init(
        store: WebhookStore, events: EventStore, secretsKey: SecretsKey?, policy: WebhookPolicy, world: World
    ) {
        self.store = store
        self.events = events
        self.secretsKey = secretsKey
        self.policy = policy
        self.world = world
    }

    /// What an operator is shown only once.
    package struct Created: Sendable {
        package var id: UUID
        package var url: String
        package var types: [String]
        package var secret: String
    }

    package static func place(_ id: UUID) -> String { "webhooks \(id.uuidString.lowercased())" }

    /// Returns all endpoints, oldest first.
    package func list() async throws -> [Webhook] { try await listing.all() }

    var listing: WebhookListing {
        WebhookListing(store: store, events: events, policy: policy, now: world.now)
    }

    /// Creates an endpoint, which gets events from now on. Throws a `Problem` or a `WebhookError`, and
    /// `IdempotencyKey.WasUsed` if there is one with this id.
    /// - Parameter id: nil for a random one.
    package func create(
        id: UUID? = nil, url: String, types: [String]?, by actor: AuditActor = .thisCommand
    ) async throws -> Created {
        let (url, types) = (try Self.url(url, policy).text, try Self.types(types))
        guard let secretsKey else { throw WebhookError.noSecretsKey }
        let id = id ?? UUID(bytes: world.randomBytes(16))
        let secret = WebhookSecret(randomBytes: world.randomBytes)
        let created = Created(id: id, url: url, types: types, secret: secret.text)
        try await store.create(
            id, url: created.url, types: created.types,
            secret: try secretsKey.seal(secret.bytes, for: Self.place(id)),
            most: policy.mostWebhooks,
            noting: act(actor, .createWebhook, id, Self.told(url, types)))
        return created
    }

    /// Returns an endpoint as the call that created it was answered. Nil if another call made it, or it was
    /// changed since.
    func created(_ id: UUID, url: String, types: [String]?) async throws -> Created? {
        let (url, types) = (try Self.url(url, policy).text, try Self.types(types))
        guard let webhook = try await store.list(id).first, (webhook.url, webhook.types) == (url, types),
            webhook.oldSecretUntil == nil,
            let sealed = try await store.secrets().first(where: { $0.id == id })?.secret,
            let bytes = secretsKey?.open(sealed, for: Self.place(id))
        else { return nil }
        return Created(id: id, url: url, types: types, secret: WebhookSecret(bytes: bytes).text)
    }

    /// Changes an endpoint. A nil value stays as it is.
    package func change(
        _ id: UUID, url: String? = nil, types: [String]? = nil, isPaused: Bool? = nil,
        by actor: AuditActor = .thisCommand
    ) async throws {
        let url = try url.map { try Self.url($0, policy).text }
        let types = try types.map { try Self.types($0) }
        var told = Self.told(url, types)
        told["paused"] = isPaused.map { "\($0)" }
        try await store.change(
            id, url: url, types: types, isPaused: isPaused, noting: act(actor, .changeWebhook, id, told))
    }

    package func delete(_ id: UUID, by actor: AuditActor = .thisCommand) async throws {
        try await store.delete(id, noting: act(actor, .deleteWebhook, id))
    }

    /// Returns the new secret, and how long the previous one also signs.
    package func rotate(_ id: UUID, by actor: AuditActor = .thisCommand) async throws -> (
        secret: String, oldUntil: Date
    ) {
        guard let secretsKey else { throw WebhookError.noSecretsKey }
        let secret = WebhookSecret(randomBytes: world.randomBytes)
        let now = world.now()
        let until = now + policy.rotation
        try await store.rotate(
            id, secret: try secretsKey.seal(secret.bytes, for: Self.place(id)), at: now, oldUntil: until,
            noting: act(actor, .rotateWebhook, id))
        return (secret.text, until)
    }

    func act(
        _ actor: AuditActor, _ kind: OperatorAct.Kind, _ id: UUID, _ told: [String: String] = [:]
    ) -> OperatorAct {
        let details = told.merging(["webhook": id.uuidString.lowercased()]) { $1 }
        return OperatorAct(by: actor, kind: kind, details: details)
    }

    /// Returns what the audit says about a change, without parts of the URL that may be secret.
    private static func told(_ url: String?, _ types: [String]?) -> [String: String] {
        var told: [String: String] = [:]
        told["host"] = url.flatMap { URL(string: $0)?.host() }
        told["types"] = types?.joined(separator: " ")
        return told
    }

    private static func url(_ text: String, _ policy: WebhookPolicy) throws(Problem) -> WebhookURL {
        do {
            return try WebhookURL(text, reach: policy.reach)
        } catch {
            throw .invalid("url", error.rawValue)
        }
    }

    /// Returns the types. If none are given, these are the ones that nearly everybody wants.
    private static func types(_ given: [String]?) throws(Problem) -> [String] {
        guard let given else { return Event.Kind.allCases.filter(\.isUsual).map(\.rawValue) }
        for type in given where Event.Kind(rawValue: type) == nil {
            throw .invalid(
                "types",
                "must be types of events: there is no `\(String(type.unicodeScalars.prefix(100)))`, see docs/events.md"
            )
        }
        let known = Set(given.compactMap(Event.Kind.init))
        guard !given.isEmpty, known.count == given.count else {
            throw .invalid("types", "must be types of events, each once, as in docs/events.md")
        }
        return Event.Kind.allCases.filter(known.contains).map(\.rawValue)
    }
}

/// Sending again.
extension WebhookSetup {
    /// Sends one event again, whether the endpoint got it or not. An event that already waits for it stays
    /// where it is.
    package func redeliver(_ id: UUID, event: Int64, by actor: AuditActor = .thisCommand) async throws {
        guard let webhook = try await listing.one(id) else { throw WebhookError.unknown }
        guard let found = try await events.read([event]).first, webhook.types.contains(found.kind.rawValue)
        else {
            throw Problem.notFound(
                "event_not_found",
                "There is no such event of a type that the webhook gets, or it is no longer kept.")
        }
        try await store.sendAgain(
            id, event: event, of: found.userID, at: world.now(),
            noting: act(actor, .redeliverWebhook, id, ["event": "\(event)"]))
    }

    /// Sends all events again that the endpoint did not get in three days. Returns how many.
    package func redeliverDead(_ id: UUID, by actor: AuditActor = .thisCommand) async throws -> Int {
        try await store.sendDeadAgain(
            id, at: world.now(), noting: act(actor, .redeliverWebhook, id, ["dead": "true"]))
    }

    /// Sends all events since a time again that are still kept.
    package func redeliver(_ id: UUID, since: Date, by actor: AuditActor = .thisCommand) async throws {
        // Events that are not kept, or never existed, do not count as missed, since nobody asks for them.
        let first = try await events.next(after: since.microsecondsSince1970 - 1)
        var position = try await events.last()
        if let first { position = first - 1 }
        try await store.goBack(
            id, to: position,
            noting: act(actor, .redeliverWebhook, id, ["since": JSON.timestamp(since)]))
    }
}
