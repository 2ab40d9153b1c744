/// The files that systems and browsers ask every host for.
package enum HostFile: String, CaseIterable {
    case icon = "icon.png"
    case robots = "robots.txt"
    case apple = ".well-known/apple-app-site-association"
    /// The file for systems before iOS 9.3.
    case oldApple = "apple-app-site-association"
    case android = ".well-known/assetlinks.json"

    /// A pattern of its path. If the file is in a folder, the pattern includes everything in that folder.
    var pattern: String {
        let folder = rawValue.split(separator: "/").dropLast()
        return folder.isEmpty ? "/\(rawValue)" : "/\(folder.joined(separator: "/"))/*"
    }
}
