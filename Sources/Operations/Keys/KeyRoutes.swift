import HTTPTypes
package import Hummingbird
package import Kernel
package import Web

/// The routes of API keys, for admins.
package struct KeyRoutes: Sendable {
    package let keys: APIKeyStore
    package let world: World

    package init(keys: APIKeyStore, world: World) {
        (self.keys, self.world) = (keys, world)
    }

    /// `GET /v1/admin/keys` lists keys without their secrets, at most 1,000: those in force come first.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> KeysResponse {
        KeysResponse(keys: try await keys.list(atMost: 1000).map { KeyResponse($0) })
    }

    /// `POST /v1/admin/keys` creates a key. The key itself is in this answer alone: the second one to an
    /// `Idempotency-Key` has the rest.
    @Sendable package func create(
        _ request: Request, context: AdminContext
    ) async throws -> EditedResponse<KeyResponse> {
        let wanted = try await request.decode(as: KeyRequest.self, context: context).checked()
        let once = try IdempotencyKey(request, call: "key", content: [String: String]())
        let id = once.map { APIKey.id(of: $0.id(for: context.actor.text)) }
        do {
            let text = try await keys.create(
                id: id, name: wanted.name, scope: wanted.scope, actsForUsers: wanted.actsForUsers,
                expiresIn: wanted.days, by: context.actor, world: world)
            guard let key = try await keys.show(APIKey(text)?.id ?? "") else { throw KeyError.unknown }
            return EditedResponse(
                status: .created, headers: [.cacheControl: "no-store"],
                response: KeyResponse(key, text: text))
        } catch is IdempotencyKey.WasUsed {
            guard let key = try await keys.show(id ?? ""), wanted.isLike(key) else {
                throw IdempotencyKey.reused
            }
            return EditedResponse(
                status: .created, headers: [.cacheControl: "no-store", .idempotentReplayed: "true"],
                response: KeyResponse(key))
        }
    }

    /// `DELETE /v1/admin/keys/{id}` revokes a key.
    @Sendable package func revoke(_ request: Request, context: AdminContext) async throws
        -> HTTPResponse.Status
    {
        guard let id = context.parameters.get("id"), try await keys.revoke(id, by: context.actor) else {
            throw KeyError.unknown
        }
        return .noContent
    }
}
