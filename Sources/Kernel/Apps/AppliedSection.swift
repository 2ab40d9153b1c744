import Web

/// A section of the file of `kith apply`.
package protocol AppliedSection: Codable, Sendable {
    static var name: String { get }

    /// Who may publish its items beside admins.
    static var editors: Set<Role> { get }

    /// How many bytes all texts of its items may have.
    static var mostBytes: Int { get }

    /// Creates the section of which nothing is applied.
    init()

    /// The text of each field, by its path in the file.
    var texts: [String: String] { get }

    /// The fields of each item, by its key. The texts of a list are separated by commas.
    var items: [String: [String: String]] { get set }

    /// The section with all fields that a file may leave out, so that two can be compared.
    var completed: Self { get }

    /// Whether the field is a list.
    static func isList(_ field: String) -> Bool

    /// Returns why it may not replace what is applied, in one sentence for each reason.
    func mistakes(over former: Self) -> [String]

    /// Returns what people would lose if it replaced what is applied, by the key of the item, in the words of
    /// the file. Such a change must be forced.
    func dangers(over former: Self) -> [String: String]
}

extension AppliedSection {
    package static var editors: Set<Role> { [.growth] }

    /// 1 MiB: each server holds it, and phones get all values with each call.
    package static var mostBytes: Int { 1 << 20 }

    /// Why it is too large to replace what is applied, in the words of the file. Nil if it is not.
    func sizeMistake(over former: Self) -> String? {
        guard bytes > Self.mostBytes, bytes > former.bytes else { return nil }
        return "\(Self.name): has more than \(Self.mostBytes >> 20) MiB of texts"
    }

    /// How many bytes its keys, fields and texts have.
    private var bytes: Int {
        items.reduce(0) { sum, item in
            item.value.reduce(sum + item.key.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        }
    }

    package var completed: Self { self }

    package func mistakes(over former: Self) -> [String] { [] }

    package func dangers(over former: Self) -> [String: String] { [:] }

    /// Returns the differences, one line for each field: `+` is new, `-` goes, `~` changes.
    package func changes(to other: Self) -> [String] {
        let (old, new) = (texts, other.texts)
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            switch (old[name], new[name]) {
            case (nil, let text?): "+ \(name): \(Self.shown(text))"
            case (let text?, nil): "- \(name): \(Self.shown(text))"
            case (let before?, let after?) where before != after:
                "~ \(name): \(Self.shown(before)) → \(Self.shown(after))"
            default: nil
            }
        }
    }

    private static func shown(_ text: String) -> String {
        guard text.hasPrefix("data:") else {
            return text.split(whereSeparator: \.isNewline).joined(separator: " ⏎ ")
        }
        return
            "\(text.prefix { $0 != ";" }), \((text.utf8.count * 3 / 4 + 1023) / 1024) KiB, \(ETag.hash(text.utf8))"
    }
}
