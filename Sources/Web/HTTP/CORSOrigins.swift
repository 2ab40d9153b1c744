/// The web apps that may call the API from browsers: `KITH_CORS_ORIGINS`. There are none unless the operator
/// names some.
package struct CORSOrigins: Hashable, Sendable {
    /// The origins, written as browsers send them in `Origin`.
    private var names: Set<String> = []
    /// Whether any origin is allowed: `*`. No call has cookies, so no page can use what another left in the
    /// browser.
    package private(set) var areAll = false

    package static let none = CORSOrigins()

    /// The form that a text must have, for error messages.
    package static let form =
        "* for all, or origins separated by commas, as in https://app.example.com,capacitor://localhost"

    package init?(_ text: String) {
        areAll = text == "*"
        if areAll { return }
        for part in text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            guard let name = Self.origin(String(Substring(part.trimmed))) else { return nil }
            names.insert(name)
        }
    }

    private init() {}

    package func allow(_ origin: String) -> Bool { areAll || names.contains(origin) }

    private static let withoutPages = ["data", "file", "ftp", "ws", "wss"]

    /// Returns scheme, host and port. Pages that apps bring along have schemes of their own, and are origins
    /// too.
    private static func origin(_ text: String) -> String? {
        let scheme = text.prefix { $0 != ":" }
        let isOfWeb = ["https", "http"].contains(scheme.lowercased())
        guard let url = try? WebURL(isOfWeb ? text : "https\(text.dropFirst(scheme.count))"),
            ["", "/"].contains(url.rest)
        else { return nil }
        if isOfWeb { return url.origin }
        guard let first = scheme.utf8.first, first.isASCIILetter,
            !Self.withoutPages.contains(scheme.lowercased()),
            scheme.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || "+.-".utf8.contains($0) })
        else { return nil }
        // The port 443, which https leaves out, is written out after another scheme.
        let port = text.hasSuffix(":443") || text.hasSuffix(":443/") ? ":443" : ""
        return "\(scheme.lowercased())\(url.origin.dropFirst(5))\(port)"
    }
}
