package import Kernel

extension Feature {
    package static let purchases = Feature(
        tables: [
            Table("purchases", .insert, .update), Table("purchase_periods", .insert, .update),
            Table("appstore_notifications", .insert),
        ],
        userData: [PurchaseStore.self], checks: [.purchases])
}
