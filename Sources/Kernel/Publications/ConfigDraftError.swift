import HTTPTypes
package import Web

/// Why a draft or a test device is not as an operator wants it.
package enum ConfigDraftError: String, ProblemError, GuardOutcome {
    /// The draft has another version, or there is one of its name already.
    case changed = "draft_changed"
    case unknown = "draft_not_found"
    case tooMany = "too_many_drafts"
    case tooManyDevices = "too_many_devices"
    case unknownDevice = "device_not_found"

    package var problem: Problem {
        switch self {
        case .changed:
            Problem(
                .conflict, "changed_meanwhile",
                "Somebody changed this draft meanwhile, or there is none of that version. Read it again.",
                field: "If-Match")
        case .unknown: Problem(.notFound, "draft_not_found", "There is no such draft.")
        case .tooMany:
            Problem(
                .conflict, "too_many_drafts",
                "There are \(ConfigDraft.most) drafts: publish or delete one first.")
        case .tooManyDevices:
            Problem(
                .conflict, "too_many_devices", "There are \(TestDevice.most) test devices: delete one first.")
        case .unknownDevice: Problem(.notFound, "device_not_found", "There is no such test device.")
        }
    }
}
