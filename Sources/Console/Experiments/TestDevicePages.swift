import Web

/// Units that see a draft, or always get a variation, and count nowhere.
enum TestDevicePages {
    static let all: [ConsolePage] = [
        ConsolePage(
            "/test-devices", in: .experiments, shows: "GET /v1/admin/config/test-devices",
            acts: [
                Act("keep", calls: "PUT /v1/admin/config/test-devices/{device}", keepDevice),
                Act("delete", calls: "DELETE /v1/admin/config/test-devices/{device}", deleteDevice),
            ], listDevices)
    ]

    /// The field of the variation of an experiment.
    private static func field(_ experiment: String) -> String { "variations.\(experiment)" }

    @Sendable private static func listDevices(_ asked: PageRequest) async throws -> Page {
        let words = asked.words
        let devices = try await asked.api.get("/v1/admin/config/test-devices").list("devices")
        var page = Page(words["devices.title"], lead: words["devices.lead"])
        page.parent = (path: "/experiments", title: words["area.experiments"])
        let keep = asked.form("keep", try await fields(asked), submit: words["kit.save"])
        page.parts = [
            devices.isEmpty ? Empty(text: words["devices.none"]) : table(of: devices, asked),
            Section(
                words["devices.new"], lead: words["devices.newLead"], keep.map { [$0] } ?? [],
                isClosed: asked.refused?.act != "keep" && !devices.isEmpty),
        ]
        return page
    }

    private static func fields(_ asked: PageRequest) async throws -> [Field] {
        let words = asked.words
        let drafts = try await asked.api.get("/v1/admin/config/drafts").list("drafts").map { $0.text("name") }
        let (experiments, _) = try await ItemPages.items("experiments", asked)
        func choice(_ name: String, _ title: String, _ values: [String]) -> Field {
            let none = Field.Choice(value: "", title: words["kit.noChoice"])
            return Field(name, title, .choice([none] + values.map { .init(value: $0, title: $0) }))
        }
        let variations = experiments.map { key, fields in
            choice(
                field(key), words("devices.variation", ["experiment": key]), ItemGroup.variations.keys(fields)
            )
        }
        return [
            Field("device", words["items.key"], hint: words["items.keyHint"], isNeeded: true),
            Field("unit", words["tried.unit"], hint: words["devices.unitHint"], isNeeded: true),
            choice("draft", words["devices.draft"], drafts),
        ] + variations
    }

    private static func table(of devices: [JSONTree], _ asked: PageRequest) -> Table {
        let words = asked.words
        let rows = devices.map { device -> [Cell] in
            let name = device.text("name")
            let given = (device["variations"]?.members ?? []).map { "\($0.key): \($0.value.text ?? "")" }
            let delete = asked.form(
                "delete", [], submit: words["devices.delete"], kind: .danger, hidden: [("device", name)],
                question: words("devices.deleteQuestion", ["name": name]))
            return [
                .text(name),
                device.text("draft").nonEmpty.map { .link(apiPath("changes", "drafts", $0), $0) } ?? .none,
                given.isEmpty ? .none : .badges(given),
                .many([.time(device.text("changedAt")), .text(device.text("actor"))]),
                delete.map(Cell.button) ?? .none,
            ]
        }
        let columns = ["items.key", "devices.draft", "devices.given", "changes.at", "access.acts"]
        return Table(words["devices.title"], columns.map { words[$0] }, rows)
    }

    private static func path(_ entries: Entries) -> String {
        apiPath("v1", "admin", "config", "test-devices", entries["device"])
    }

    @Sendable private static func keepDevice(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        guard !entries["device"].isEmpty else {
            throw APIProblem.entry("device", asked.words["items.keyMissing"])
        }
        let body = entries.body(try await fields(asked).filter { $0.name != "device" })
        try await asked.api.send(APICall(method: .put, path: path(entries), body: body.json))
        return .done("devices.kept", at: "/test-devices")
    }

    @Sendable private static func deleteDevice(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        try await asked.api.send(APICall(method: .delete, path: path(entries)))
        return .done("devices.deleted", at: "/test-devices")
    }
}
