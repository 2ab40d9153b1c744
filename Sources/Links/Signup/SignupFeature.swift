package import Kernel

extension Feature {
    package static let signup = Feature(
        tables: [Table("signups", .insert, .update, .delete)], userData: [SignupStore.self])
}
