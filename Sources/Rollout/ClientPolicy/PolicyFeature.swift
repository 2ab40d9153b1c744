package import Kernel

extension Feature {
    package static let policies = Feature(
        tables: [Table("client_versions", .insert, .update, .delete)],
        sections: [AppliedPolicyStore.self])
}
