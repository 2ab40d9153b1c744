/// An entry of a list with named parts behind blanks: `ABCDE12345.com.example.other storeId=2000000002
/// scheme=other`. In the file of `kith apply` it may be a table.
struct ListEntry: Sendable {
    let head: String
    private(set) var parts: [String: String] = [:]

    /// Nil if a part has none of these names, has no value, or is given twice.
    init?(_ text: String, names: [String]) {
        let words = text.split(separator: " ")
        guard let head = words.first else { return nil }
        self.head = String(head)
        for word in words.dropFirst() {
            let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2, names.contains(pair[0]), parts.updateValue(pair[1], forKey: pair[0]) == nil
            else { return nil }
        }
    }

    subscript(name: String) -> String? { parts[name] }
}
