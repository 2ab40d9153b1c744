import Web

/// Why an app of the settings is not possible.
package enum AppsError: Error, Equatable, CustomStringConvertible {
    case iosApp(teamID: String, bundleID: String)
    case fingerprint(String)
    /// The setting, the wrong entry, and the form that it must have.
    case otherApp(String, String, String)
    /// The scheme of a URL that is not one of the app's own.
    case unknownScheme(String)
    case tooLong(String)
    case linkDomain(String)
    /// Two link domains have the same host and path. Scheme and port do not tell them apart.
    case linkDomainTwice(String)
    /// The link domain is the host of invites, so its codes would be taken for those of invites.
    case linkDomainIsHost(String)
    case linkTargets(String)
    /// One of two settings that belong together.
    case alone(String, missing: String)

    package var description: String {
        switch self {
        case .iosApp(let teamID, let bundleID):
            """
            KITH_IOS_TEAM_ID and KITH_IOS_BUNDLE_ID: '\(teamID)' and '\(bundleID)' are not allowed: they must be as in \
            ABCDE12345 and com.example.app
            """
        case .fingerprint(let text):
            """
            KITH_ANDROID_FINGERPRINTS: '\(text)' is not allowed: it must be the SHA-256 of a signing certificate, 32 bytes in \
            hex\(Self.isSHA1(text) ? ", and this is a SHA-1" : ""); commas separate several
            """
        case .otherApp(let setting, let text, let form):
            "\(setting): '\(text)' is not allowed: it must be as in \(form); commas separate several"
        case .unknownScheme(let scheme):
            "KITH_APP_SCHEME_URLS: '\(scheme)' is neither KITH_APP_SCHEME nor a scheme in KITH_IOS_OTHER_APPS"
        case .tooLong(let file):
            "\(file) would have more than 128 KiB, which Apple and Google do not read: name fewer apps"
        case .linkDomain(let text):
            """
            KITH_LINK_DOMAINS: '\(text)' is not allowed: it must be as in https://go.example.com or https://example.com/l, and \
            no path of Kith's own, such as /users; commas separate several
            """
        case .linkDomainTwice(let text):
            "KITH_LINK_DOMAINS: '\(text)' is not allowed: its host and path are those of another one"
        case .linkDomainIsHost(let text):
            """
            KITH_LINK_DOMAINS: '\(text)' is not allowed: the codes of invites stand there; add a path, as in \(text)/l, or \
            use another host
            """
        case .linkTargets(let text):
            "KITH_LINK_TARGETS: '\(text)' is not allowed: it must be \(HostPatterns.form)"
        case .alone(let name, let missing): "\(name) is set, but \(missing), which belongs to it, is not"
        }
    }

    private static func isSHA1(_ text: String) -> Bool { text.filter { $0 != ":" }.count == 40 }
}
