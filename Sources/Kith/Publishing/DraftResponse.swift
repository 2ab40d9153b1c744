import Foundation
import Hummingbird
import Kernel

struct DraftsResponse: ResponseEncodable {
    let drafts: [DraftSummary]
}

/// A draft in a list.
struct DraftSummary: Encodable {
    let name: String
    /// What `If-Match` names to change it.
    let version: Int64
    /// The newest publication when it was changed.
    let revision: Int64
    let actor: String
    let changedAt: Date
    let items: [String]

    init(_ draft: ConfigDraftSummary) {
        (name, version, revision) = (draft.name, draft.version, draft.revision)
        (actor, changedAt, items) = (draft.actor.text, draft.changedAt, draft.names)
    }
}

/// A draft, and what it would do to the state now.
struct DraftResponse: Encodable {
    let draft: DraftSummary
    /// Those of its items that others published since.
    let overtaken: [String]
    let plan: PlanResponse
    /// Why it cannot be published as it is, in the words of a file.
    let mistakes: [String]

    init(_ draft: ConfigDraft, _ overtaken: Set<ItemName>, _ plan: Publisher.Plan) {
        self.draft = DraftSummary(draft.summary)
        self.overtaken = overtaken.map(\.text).sorted()
        self.plan = PlanResponse(plan, revision: plan.revision)
        mistakes = plan.section.mistakes
    }
}

struct TestDevicesResponse: ResponseEncodable {
    let devices: [TestDeviceResponse]
}

/// A test device. Its unit is kept as a hash alone.
struct TestDeviceResponse: Encodable {
    let name: String
    let draft: String?
    let variations: [String: String]
    let actor: String
    let changedAt: Date

    init(_ device: TestDevice) {
        (name, draft, variations) = (device.name, device.draft, device.variations)
        (actor, changedAt) = (device.actor.text, device.changedAt)
    }
}
