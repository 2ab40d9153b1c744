/// What systems and browsers ask of every host.
package enum HostFile: String, CaseIterable {
    case icon = "icon.png"
    case robots = "robots.txt"
    case apple = ".well-known/apple-app-site-association"
    /// For systems before iOS 9.3.
    case oldApple = "apple-app-site-association"
    case android = ".well-known/assetlinks.json"

    /// Of its path, with all beside it in a folder.
    var pattern: String {
        let folder = rawValue.split(separator: "/").dropLast()
        return folder.isEmpty ? "/\(rawValue)" : "/\(folder.joined(separator: "/"))/*"
    }
}
