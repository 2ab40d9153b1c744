package import Kernel

extension Feature {
    package static let friends = Feature(
        tables: [Table("relationships", .insert, .update, .delete), Table("dismissals", .insert, .delete)],
        userData: [FriendStore.self])
}
