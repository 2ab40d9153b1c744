/// A system with a store of its own.
enum AppPlatform: String, CaseIterable, Sendable {
    case ios, android
}

/// The apps into which links lead, by what their stores and systems call them.
struct LinkedApps: Sendable {
    /// The app of the settings.
    static let standard = "standard"

    let iosBundleID: String?
    let androidPackage: String?

    /// The key of the app with this bundle id or package; nil for a stranger's.
    /// - Parameter id: nil if the app does not say.
    func key(of platform: AppPlatform, _ id: String?) -> String? {
        guard let id, let own = platform == .ios ? iosBundleID : androidPackage else { return Self.standard }
        return id == own ? Self.standard : nil
    }
}
