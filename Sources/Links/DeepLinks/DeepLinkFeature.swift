package import Kernel

extension Feature {
    package static let deepLinks = Feature(
        tables: [Table("links", .insert, .update, .delete)], checks: [.links])
}
