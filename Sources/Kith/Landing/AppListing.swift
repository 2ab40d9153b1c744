/// The operator's app as the pages show it, read once at start.
struct AppListing: Hashable, Sendable {
    let name: String
    /// The scheme of links that open the app, as in `sample` for `sample://…`.
    let urlScheme: String?
    /// The app's number in the App Store.
    let appStoreID: String?
    let appStoreURL: String?
    let androidPackage: String?
    let playStoreURL: String?
    /// Served at `/icon.png`.
    let icon: AppIcon?

    init(
        name: String, urlScheme: String? = nil, appStoreID: String? = nil, appStoreURL: String? = nil,
        androidPackage: String? = nil, playStoreURL: String? = nil, icon: AppIcon? = nil
    ) throws(AppListingError) {
        if let urlScheme, !Self.isOwnScheme(urlScheme) { throw .urlScheme(urlScheme) }
        if let appStoreID, appStoreID.isEmpty || !appStoreID.utf8.allSatisfy({ (48...57).contains($0) }) {
            throw .appStoreID(appStoreID)
        }
        for url in [appStoreURL, playStoreURL].compactMap({ $0 }) where !url.isWebURL { throw .storeURL(url) }
        self.name = name
        self.urlScheme = urlScheme?.lowercased()
        self.appStoreID = appStoreID
        self.appStoreURL = appStoreURL
        self.androidPackage = androidPackage
        self.playStoreURL = playStoreURL
        self.icon = icon
    }

    /// The URL itself if it opens the app, else nil.
    func opening(_ url: String?) -> String? {
        guard let url, let urlScheme, url.scheme == urlScheme, url.utf8.allSatisfy(\.isVisibleASCII) else {
            return nil
        }
        return url
    }

    /// Whether it is a scheme (RFC 3986 §3.1) that browsers do not handle themselves.
    private static func isOwnScheme(_ scheme: String) -> Bool {
        let taken = ["javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source"]
        return scheme.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.\-]*/) != nil
            && !taken.contains(scheme.lowercased())
    }
}

enum AppListingError: Error, Equatable, CustomStringConvertible {
    case urlScheme(String)
    case appStoreID(String)
    case storeURL(String)
    case icon(file: String, AppIconError?)

    var description: String {
        switch self {
        case .urlScheme(let text):
            "KITH_APP_SCHEME: '\(text)' is not allowed: it must be a scheme of your app alone, as in myapp"
        case .appStoreID(let text): "KITH_APP_STORE_ID: '\(text)' is not allowed: it must be digits only"
        case .storeURL(let text):
            "KITH_APP_STORE_URL, KITH_PLAY_STORE_URL: '\(text)' is not allowed: it must be an http or https URL"
        case .icon(let file, nil): "KITH_APP_ICON: cannot read '\(file)'"
        case .icon(let file, let error?): "KITH_APP_ICON: '\(file)' \(error)"
        }
    }
}

extension String {
    /// An absolute http or https URL of visible ASCII, with a host.
    var isWebURL: Bool {
        guard utf8.allSatisfy(\.isVisibleASCII), let scheme, scheme == "https" || scheme == "http" else {
            return false
        }
        let rest = utf8.dropFirst(scheme.utf8.count + 1)
        guard rest.starts(with: "//".utf8), let host = rest.dropFirst(2).first else { return false }
        return !"/?#".utf8.contains(host)
    }

    fileprivate var scheme: String? {
        utf8.firstIndex(of: UInt8(ascii: ":")).map { self[..<$0].lowercased() }
    }
}
