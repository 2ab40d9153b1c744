import HTTPTypes

extension Query {
    /// The longest name that an answer quotes.
    private static let longest = 64

    /// Throws a 400 for the first parameter that is not among these names. It lists the known ones.
    package func require(only names: [String]) throws(Problem) {
        guard let raw, !raw.isEmpty else { return }
        for pair in raw.utf8.split(separator: UInt8(ascii: "&")) {
            let encoded = pair.prefix { $0 != UInt8(ascii: "=") }
            guard !names.contains(where: { PercentEncoding.matches(encoded, $0) }) else { continue }
            throw Self.unknown(PercentEncoding.decode(encoded) ?? String(Substring(encoded)), names)
        }
    }

    private static func unknown(_ name: String, _ names: [String]) -> Problem {
        let shown = String(name.unicodeScalars.prefix(longest))
        let meant = shown.near(among: names).map { " Did you mean `\($0)`?" } ?? ""
        let known = names.sorted().map { "`\($0)`" }.joined(separator: ", ")
        return Problem(
            .badRequest, "invalid_field",
            "`\(shown)` is not a parameter of this call, which has \(known.isEmpty ? "none" : known).\(meant)",
            field: shown)
    }
}
