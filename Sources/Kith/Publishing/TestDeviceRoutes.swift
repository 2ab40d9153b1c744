import HTTPTypes
import Hummingbird
import Kernel
import Rollout
import Web

/// The routes `/v1/admin/config/test-devices`: units that see a draft or a given variation, and count
/// nowhere.
struct TestDeviceRoutes {
    let store: TestDeviceStore
    let drafts: ConfigDraftStore
    let publisher: Publisher
    let experiments: ExperimentStore

    /// `GET /v1/admin/config/test-devices` lists the devices by their names.
    @Sendable func list(_ request: Request, context: AdminContext) async throws -> TestDevicesResponse {
        TestDevicesResponse(devices: try await store.list().map(TestDeviceResponse.init))
    }

    /// `PUT /v1/admin/config/test-devices/{device}` makes a unit a test device. It replaces the device of
    /// that name, and the one of that unit. Servers follow within seconds.
    @Sendable func put(_ request: Request, context: AdminContext) async throws -> HTTPResponse.Status {
        let name = try Self.name(context)
        let body = try TestDeviceRequest(await context.requestDecoder.tree(in: request))
        if let lacking = try await known(body).lacking(body.variations) {
            throw Problem.invalid(
                "variations", "names \(lacking.experiment), which has no variation \(lacking.variation)")
        }
        try await store.put(
            name, unit: body.unit.id, draft: body.draft, variations: body.variations, by: context.actor)
        // What was counted of it before would have no goals any more.
        try await experiments.forget(body.unit)
        return .noContent
    }

    /// Returns the experiments as the device will see them.
    private func known(_ body: TestDeviceRequest) async throws -> AppliedExperiments {
        guard !body.variations.isEmpty else { return AppliedExperiments() }
        var sections = try await publisher.state().sections
        if let name = body.draft {
            guard let draft = try await drafts.draft(name) else { throw ConfigDraftError.unknown }
            sections.replace(draft.wanted)
        }
        return sections[AppliedExperiments.self] ?? AppliedExperiments()
    }

    /// `DELETE /v1/admin/config/test-devices/{device}` stops treating a unit as a test device.
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
private struct TestDeviceRequest {
    let unit: ExperimentUnit
    let draft: String?
    let variations: [String: String]

    /// Reads a body. Throws a 400 that names the wrong field.
    init(_ tree: JSONTree) throws(Problem) {
        for member in tree.members ?? [] where !["unit", "draft", "variations"].contains(member.key) {
            throw .invalid(String(member.key.prefix(128)), "is not a field of this call")
        }
        guard let text = tree["unit"]?.text else { throw .invalid("unit", "must be a text") }
        unit = try .required(text)
        if let name = tree["draft"], name.value != .null, name.text == nil {
            throw .invalid("draft", "must be a text")
        }
        draft = tree["draft"]?.text
        variations = try Self.variations(tree["variations"])
    }

    private static func variations(_ tree: JSONTree?) throws(Problem) -> [String: String] {
        guard let tree else { return [:] }
        guard let members = tree.members, members.count <= 100,
            members.allSatisfy({ EntryKey.isOne($0.key) && $0.value.text.map(EntryKey.isOne) == true })
        else {
            throw .invalid(
                "variations", "must be a table of at most 100 experiments, with a variation of each")
        }
        return members.reduce(into: [:]) { $0[String($1.key)] = $1.value.text }
    }
}
