import Web

/// A section of the file of `kith apply`.
package protocol AppliedSection: Codable, Sendable {
    static var name: String { get }

    /// Creates the section of which nothing is applied.
    init()

    /// The text of each field, by its path in the file.
    var texts: [String: String] { get }

    /// Returns why it may not replace what is applied, in one sentence for each reason.
    func mistakes(over former: Self) -> [String]
}

extension AppliedSection {
    package func mistakes(over former: Self) -> [String] { [] }

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
