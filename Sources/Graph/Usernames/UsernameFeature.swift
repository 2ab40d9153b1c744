package import Kernel

extension Feature {
    package static let usernames = Feature(
        tables: [Table("usernames", .insert, .update), Table("username_periods", .insert, .update, .delete)],
        userData: [UsernameStore.self])
}
