package import Kernel

extension Feature {
    package static let clicks = Feature(
        tables: [Table("clicks", .insert, .delete), Table("visitor_salts", .insert, .delete)],
        userData: [ClickStore.self], checks: [.clickCounts])
}
