package import Kernel

extension Feature {
    package static let counts = Feature(
        tables: [
            Table("counts", .insert, .update, .delete), Table("count_positions", .update),
            Table("visitor_salts", .insert, .delete),
        ],
        checks: [.sums])
}
