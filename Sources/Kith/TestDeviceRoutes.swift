import HTTPTypes
import Hummingbird
import Kernel
import Rollout
import Web

/// The routes `/v1/admin/config/test-devices`: units that see a draft or a given variation, and count nowhere.
struct TestDeviceRoutes {
    let store: TestDeviceStore

    /// `GET /v1/admin/config/test-devices` lists the devices by their names.
    @Sendable func list(_ request: Request, context: AdminContext) async throws -> TestDevicesResponse {
        TestDevicesResponse(devices: try await store.list().map(TestDeviceResponse.init))
    }

    /// `PUT /v1/admin/config/test-devices/{device}` makes a unit a test device. It replaces the device of that
    /// name, and the one of that unit. Servers follow within seconds.
    @Sendable func put(_ request: Request, context: AdminContext) async throws -> HTTPResponse.Status {
        let name = try Self.name(context)
        let body = try await request.decode(as: TestDeviceRequest.self, context: context)
        let unit = try ExperimentUnit.required(body.unit)
        let given = body.variations ?? [:]
        guard given.count <= 100, given.allSatisfy({ EntryKey.isOne($0.key) && EntryKey.isOne($0.value) })
        else {
            throw Problem.invalid(
                "variations", "must be a table of at most 100 experiments, with a variation of each")
        }
        if let draft = body.draft, !EntryKey.isOne(draft) { throw ConfigDraftError.unknown }
        try await store.put(
            name, unit: unit.id, draft: body.draft, variations: given, by: context.actor)
        return .noContent
    }

    /// `DELETE /v1/admin/config/test-devices/{device}` makes a unit one as all others.
    @Sendable func delete(_ request: Request, context: AdminContext) async throws -> HTTPResponse.Status {
        try await store.delete(Self.name(context), by: context.actor)
        return .noContent
    }

    private static func name(_ context: AdminContext) throws(Problem) -> String {
        guard let name = context.parameters.get("device"), EntryKey.isOne(name) else {
            throw .invalid("device", "must be \(EntryKey.form)")
        }
        return name
    }
}

/// The body that makes a unit a test device.
struct TestDeviceRequest: JSONBody {
    var unit: String
    var draft: String?
    var variations: [String: String]?

    enum CodingKeys: CodingKey, CaseIterable { case unit, draft, variations }
}
