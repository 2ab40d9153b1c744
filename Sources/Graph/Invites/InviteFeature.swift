package import Kernel

extension Feature {
    package static let invites = Feature(
        tables: [
            Table("invites", .insert, .update, .delete), Table("invites_by_owner", .insert, .update, .delete),
            Table("invite_uses", .insert, .delete), Table("acceptances", .insert),
        ],
        userData: [InviteStore.self])
}
