@testable import Pictures

extension Card {
    static func named(_ name: String, language: String = "en") -> Card {
        Card(
            name: name, initial: String(name.prefix(1)), caption: "invites you to Lantern", handle: "@hana",
            tint: name.utf8.count % 6, language: language)
    }
}
