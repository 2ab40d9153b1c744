package import Kernel

extension Feature {
    package static let clicks = Feature(
        tables: [
            Table("clicks", .insert), Table("click_counts", .insert, .update, .delete),
            Table("visitor_salts", .insert, .delete),
        ],
        userData: [ClickStore.self], checks: [.clickCounts])
}
