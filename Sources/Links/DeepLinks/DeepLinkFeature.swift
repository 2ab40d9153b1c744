package import Kernel

extension Feature {
    package static let deepLinks = Feature(
        tables: [Table("deep_links", .insert, .update, .delete)])
}
