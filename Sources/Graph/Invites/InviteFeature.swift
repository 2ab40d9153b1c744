package import Kernel

extension Feature {
    package static let invites = Feature(
        tables: [
            Table("links", .insert, .update, .delete), Table("links_by_owner", .insert, .update, .delete),
            Table("link_uses", .insert, .delete), Table("acceptances", .insert),
        ],
        userData: [InviteStore.self])
}
