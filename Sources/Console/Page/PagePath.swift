import Web

/// Paths of pages that are about one of several things, by its name.
enum PagePath {
    /// The last part of a path whose name stands in the query.
    static let named = "named"
    /// The parameter with that name.
    static let name = "name"

    /// Names that are other pages, and those that browsers take for a way up.
    private static let others: Set = ["new", "explain", named, ".", ".."]

    /// Makes the path of the page of a thing: `/people/u-ann`.
    static func of(_ name: String, in place: String, query: KeyValuePairs<String, String?> = [:]) -> String {
        guard others.contains(name) else { return (place + apiPath(name)).appending(query: query) }
        return place.appending("/\(named)", query: [self.name: name]).appending(query: query)
    }
}
