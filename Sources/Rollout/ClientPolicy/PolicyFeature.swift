package import Kernel

extension Feature {
    package static let policies = Feature(
        tables: [Table("client_versions", .insert, .update, .delete)],
        sections: [ForecastStore<AppliedPolicies>.self])
}
