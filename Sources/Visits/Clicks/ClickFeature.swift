package import Kernel

extension Feature {
    package static let clicks = Feature(
        tables: [Table("clicks", .insert, .delete)],
        userData: [ClickStore.self], checks: [.clickCounts])
}
