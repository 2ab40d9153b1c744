import HTTPTypes
import Web

/// Why a purchase is not believed, or not tied to the user who shows it.
enum PurchaseError: ProblemError {
    /// The purchase belongs to another user.
    case taken
    case unknown
    /// A backend has already given this consumable, under another id.
    case consumed
    case notConsumable
    /// Apple took the purchase back.
    case refunded
    /// The server knows no certificates or no app with which to verify.
    case notSetUp
    case refused(AppStoreVerifier.Refusal, field: String)

    var problem: Problem {
        switch self {
        case .taken:
            Problem(
                .conflict, "purchase_taken",
                "This purchase is another user's. Who bought it signs in as they were then.")
        case .unknown: Problem(.notFound, "purchase_not_found", "There is no such purchase.")
        case .consumed:
            Problem(.conflict, "purchase_consumed", "This purchase was consumed before, by another `id`.")
        case .notConsumable:
            Problem(
                .conflict, "purchase_not_consumable", "Only a purchase of type Consumable can be consumed.")
        case .refunded:
            Problem(.conflict, "purchase_refunded", "The App Store has refunded this purchase.")
        case .notSetUp, .refused(.noAppStoreID, _):
            Problem(
                .conflict, "appstore_not_set_up",
                "Set KITH_APPSTORE_ROOTS, and KITH_IOS_BUNDLE_ID and KITH_APP_STORE_ID, or of an app in the file of `kith apply` its ios.bundleId and ios.storeId: purchases are verified by them."
            )
        // Apple resends what is refused with another status than 400: the operator may have set the wrong
        // app.
        case .refused(.otherApp, let field):
            Problem(
                .unprocessableContent, "purchase_of_other_app",
                "`\(field)` is of another app than KITH_IOS_BUNDLE_ID and KITH_APP_STORE_ID name, or of an app in the file of `kith apply` its ios.bundleId and ios.storeId.",
                field: field)
        case .refused(_, let field):
            Problem(
                .badRequest, "purchase_unsigned",
                "`\(field)` was not signed by Apple, or is not what belongs here.", field: field)
        }
    }
}
