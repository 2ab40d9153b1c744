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
    /// Somebody gives the unit another name at the same time.
    case deviceTaken = "device_taken"
    case userDeleted = "device_user_deleted"

    package var problem: Problem {
        switch self {
        case .changed:
            Problem(
                .conflict, "changed_meanwhile",
                "Somebody changed this draft meanwhile, or there is none of that version. Read it again.")
        case .unknown: Problem(.notFound, "draft_not_found", "There is no such draft.")
        case .tooMany:
            Problem(
                .conflict, "too_many_drafts",
                "There are \(ConfigDraft.most) drafts: publish or delete one first.")
        case .tooManyDevices:
            Problem(
                .conflict, "too_many_devices", "There are \(TestDevice.most) test devices: delete one first.")
        case .deviceTaken:
            Problem(
                .conflict, "changed_meanwhile",
                "Somebody makes this unit a test device at the same time. Try again.")
        case .userDeleted:
            Problem(.forbidden, "account_deleted", "The unit is a user who deleted their account.")
        case .unknownDevice: Problem(.notFound, "device_not_found", "There is no such test device.")
        }
    }
}
