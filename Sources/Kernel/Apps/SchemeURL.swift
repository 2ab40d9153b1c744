package import Web

/// Which URL of the app's own scheme shows what a web page shows: `/hotels/* url=sample://hotels/*/`. The
/// stars of the URL become what the stars of the path stand for.
package struct SchemeURL: Hashable, Sendable {
    /// The scheme in lower case.
    package let scheme: String
    private let path: URLPattern
    private let pieces: [String]

    static let form = "/hotels/* url=sample://hotels/*/"
    static let parts = ["url"]

    init?(_ text: String) {
        guard let given = ListEntry(text, names: Self.parts), given.head.hasPrefix("/"),
            let url = given["url"], url.utf8.allSatisfy(\.isVisibleASCII),
            let colon = url.firstIndex(of: ":")
        else { return nil }
        scheme = url[..<colon].lowercased()
        path = URLPattern(Self.trimmed(given.head))
        pieces = url.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        guard scheme.isOwnScheme, path.stars.map({ pieces.count - 1 <= $0 }) == true else { return nil }
    }

    /// Returns the URL that shows a page, with the page's query and fragment. Nil if the path does not match.
    package func url(of page: WebURL) -> String? {
        let path = page.rest.prefix { $0 != "?" && $0 != "#" }
        guard let texts = self.path.starTexts(in: Self.trimmed(path)) else { return nil }
        let url = zip(pieces.dropFirst(), texts).reduce(pieces[0]) { $0 + $1.1 + $1.0 }
        let query = url.contains("?") ? nil : page.query
        return url + (query.map { "?\($0)" } ?? "") + (page.fragment.map { "#\($0)" } ?? "")
    }

    /// Returns the path without slashes at the end, which change nothing.
    private static func trimmed(_ path: some StringProtocol) -> String {
        String(path.reversed().drop { $0 == "/" }.reversed())
    }

    /// Returns the scheme URLs of the settings. The first that matches a path decides.
    package static func all(_ config: AppConfig) throws(AppsError) -> [SchemeURL] {
        // `AssociationFiles` reports mistakes in these.
        let others = (try? IOSApp.others(config)) ?? []
        let known = Set(([config.scheme?.lowercased()] + others.map(\.scheme)).compactMap(\.self))
        var urls: [SchemeURL] = []
        for text in config.schemeURLs?.listed ?? [] {
            guard let url = SchemeURL(text) else { throw .otherApp("KITH_APP_SCHEME_URLS", text, form) }
            guard known.contains(url.scheme) else { throw .unknownScheme(url.scheme) }
            urls.append(url)
        }
        return urls
    }
}

extension URLPattern {
    /// How many stars it has. Nil if it has a variable, whose end could not be told.
    var stars: Int? {
        tokens.contains { if case .list = $0 { true } else { false } } ? nil : tokens.count { $0 == .any }
    }

    /// Returns what each star stands for, the first ones as little as possible. Nil if the text does not
    /// match. Between stars it looks for the next piece, so its time is the number of pieces times the text's
    /// length.
    func starTexts(in text: String) -> [String]? {
        let text = Array(text.unicodeScalars)
        let pieces = tokens.split(separator: .any, omittingEmptySubsequences: false).map(Array.init)
        func has(_ piece: [Token], at place: Int) -> Bool {
            piece.count <= text.count - place
                && zip(piece, text[place...]).allSatisfy { $0 == .one || $0 == .character($1) }
        }
        guard let first = pieces.first, let last = pieces.last, has(first, at: 0) else { return nil }
        guard pieces.count > 1 else { return first.count == text.count ? [] : nil }
        let end = text.count - last.count
        var (texts, place) = ([String](), first.count)
        for piece in pieces.dropFirst().dropLast() {
            guard
                let found = (place..<max(place, end + 1)).first(where: {
                    $0 + piece.count <= end && has(piece, at: $0)
                })
            else { return nil }
            texts.append(String(String.UnicodeScalarView(text[place..<found])))
            place = found + piece.count
        }
        guard place <= end, has(last, at: end) else { return nil }
        return texts + [String(String.UnicodeScalarView(text[place..<end]))]
    }
}

extension String {
    /// Whether it is a scheme (RFC 3986 §3.1) that browsers do not handle themselves.
    package var isOwnScheme: Bool {
        let taken = [
            "http", "https", "javascript", "data", "vbscript", "file", "blob", "about", "filesystem",
            "view-source", "intent", "mailto",
        ]
        return wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*/) != nil && !taken.contains(lowercased())
    }
}
