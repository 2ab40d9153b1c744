import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
import Web

/// The routes `/v1/admin/webhooks` for endpoints that get events.
package struct WebhookRoutes {
    package let setup: WebhookSetup

    package init(setup: WebhookSetup) {
        self.setup = setup
    }

    /// `POST /v1/admin/webhooks` creates an endpoint. The secret is in this answer only, and in that to the
    /// same call with the same `Idempotency-Key`.
    @Sendable package func create(
        _ request: Request, context: AdminContext
    ) async throws -> EditedResponse<CreatedWebhookResponse> {
        let body = try await request.decode(as: WebhookRequest.self, context: context)
        let once = try IdempotencyKey(request, call: "webhook", content: [String: String]())
        guard let id = once?.id(for: context.actor.text) else {
            let created = try await setup.create(url: body.url, types: body.types, by: context.actor)
            return EditedResponse(status: .created, response: CreatedWebhookResponse(created))
        }
        // As many endpoints as there may be do not keep a call from its first answer.
        let isThere = try await setup.listing.one(id) != nil
        do {
            guard !isThere else { throw IdempotencyKey.WasUsed() }
            let created = try await setup.create(
                id: id, url: body.url, types: body.types, by: context.actor)
            return EditedResponse(status: .created, response: CreatedWebhookResponse(created))
        } catch is IdempotencyKey.WasUsed {
            guard let created = try await setup.created(id, url: body.url, types: body.types) else {
                throw IdempotencyKey.reused
            }
            return EditedResponse(
                status: .created, headers: [.idempotentReplayed: "true"],
                response: CreatedWebhookResponse(created))
        }
    }

    /// `GET /v1/admin/webhooks` lists the endpoints.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> WebhooksResponse {
        let now = setup.world.now()
        return WebhooksResponse(webhooks: try await setup.list().map { WebhookResponse($0, now: now) })
    }

    /// `GET /v1/admin/webhooks/{id}` shows an endpoint.
    @Sendable package func show(_ request: Request, context: AdminContext) async throws -> WebhookResponse {
        guard let webhook = try await setup.listing.one(try id(context)) else { throw WebhookError.unknown }
        return WebhookResponse(webhook, now: setup.world.now())
    }

    /// `PATCH /v1/admin/webhooks/{id}` changes an endpoint. `{"paused": false}` ends pausing and failing.
    @Sendable package func change(_ request: Request, context: AdminContext) async throws -> WebhookResponse {
        let body = try await request.decode(as: WebhookChangeRequest.self, context: context)
        try await setup.change(
            try id(context), url: body.url, types: body.types, isPaused: body.paused, by: context.actor)
        return try await show(request, context: context)
    }

    /// `DELETE /v1/admin/webhooks/{id}` deletes an endpoint.
    @Sendable package func delete(_ request: Request, context: AdminContext) async throws
        -> HTTPResponse.Status
    {
        try await setup.delete(try id(context), by: context.actor)
        return .noContent
    }

    /// `POST /v1/admin/webhooks/{id}/secret` makes a new secret, which signs from now on. The previous one
    /// also signs for one more day.
    @Sendable package func rotate(_ request: Request, context: AdminContext) async throws
        -> WebhookSecretResponse
    {
        let (secret, until) = try await setup.rotate(try id(context), by: context.actor)
        return WebhookSecretResponse(secret: secret, oldSecretUntil: until)
    }

    /// `POST /v1/admin/webhooks/{id}/redeliver` sends events again.
    @Sendable package func redeliver(
        _ request: Request, context: AdminContext
    ) async throws -> EditedResponse<RedeliverResponse> {
        let body = try await request.decode(as: RedeliverRequest.self, context: context)
        let id = try id(context)
        var dead: Int?
        switch try body.which() {
        case .event(let event): try await setup.redeliver(id, event: event, by: context.actor)
        case .since(let time): try await setup.redeliver(id, since: time, by: context.actor)
        case .dead: dead = try await setup.redeliverDead(id, by: context.actor)
        }
        return EditedResponse(status: .accepted, response: RedeliverResponse(dead: dead))
    }

    /// `POST /v1/admin/webhooks/{id}/test` posts a test event at once, and says what came of it.
    @Sendable package func test(_ request: Request, context: AdminContext) async throws
        -> WebhookTestResponse
    {
        WebhookTestResponse(try await setup.test(try id(context), by: context.actor))
    }

    /// `GET /v1/admin/webhooks/{id}/dead?after=…&limit=…` lists the events that it did not take in three
    /// days, oldest first.
    @Sendable package func listDead(_ request: Request, context: AdminContext) async throws
        -> DeadLettersResponse
    {
        let after = try request.query.value("after").map { text throws(Problem) in
            guard let id = Int64(text), id >= 0 else { throw .invalid("after", "must be the id of an event") }
            return id
        }
        let limit = try request.query.limit()
        let id = try id(context)
        guard try await setup.listing.one(id) != nil else { throw WebhookError.unknown }
        return DeadLettersResponse(
            try await setup.store.dead(id, after: after ?? 0, limit: limit + 1), limit: limit)
    }

    private func id(_ context: AdminContext) throws(WebhookError) -> UUID {
        guard let id = context.parameters.get("id").flatMap(UUID.init(uuidString:)) else { throw .unknown }
        return id
    }
}
