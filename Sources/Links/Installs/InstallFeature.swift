package import Kernel

extension Feature {
    package static let installs = Feature(
        tables: [Table("installs", .insert, .update, .delete), Table("link_claims", .insert, .delete)],
        userData: [InstallStore.self], checks: [.installs])
}
