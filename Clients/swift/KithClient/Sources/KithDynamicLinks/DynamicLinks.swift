import Foundation
import KithClient

/// What apps called in the SDK of Firebase Dynamic Links, answered by Kith. Set `DynamicLinks.kith` once at
/// the start, replace `import FirebaseDynamicLinks` by `import KithDynamicLinks`, and the calls stay. For
/// what is new, use `KithClient`.
public final class DynamicLinks: @unchecked Sendable {
    private static let shared = DynamicLinks()

    public static func dynamicLinks() -> DynamicLinks { shared }

    private let lock = NSLock()
    private var clientInUse: KithClient?

    /// The client that answers; set it in `application(_:didFinishLaunchingWithOptions:)`.
    public static var kith: KithClient? {
        get { shared.lock.withLock { shared.clientInUse } }
        set { shared.lock.withLock { shared.clientInUse = newValue } }
    }

    /// Reads a universal link, and keeps it as the invite for the sign-up if it is one. Returns whether it is
    /// one of the app's, or on a host of deep links (`wrappingHosts`): then the completion gets it, on the
    /// main queue, or nil if it leads nowhere.
    @discardableResult public func handleUniversalLink(
        _ url: URL, completion: @escaping @Sendable (DynamicLink?, (any Error)?) -> Void
    ) -> Bool {
        guard let kith = Self.kith else { return false }
        let invite = dynamicLink(fromUniversalLink: url)
        guard invite != nil || kith.mayBeDeepLink(url) else { return false }
        Task {
            do {
                try await kith.handle(url: url)
                let link = invite == nil ? try await kith.deepLink(url).map(DynamicLink.init) : invite
                DispatchQueue.main.async { completion(link, nil) }
            } catch {
                DispatchQueue.main.async { completion(nil, error) }
            }
        }
        return true
    }

    /// Reads a universal link, and keeps nothing.
    public func dynamicLink(fromUniversalLink url: URL) -> DynamicLink? {
        Self.kith?.link(in: url).map { DynamicLink(url: $0, matchType: .unique) }
    }

    /// Reads a URL in the app's own scheme, also what Firebase's SDK made of an install, and what the page of
    /// a deep link opens: `myapp://google/link/?deep_link_id=…`. Keeps nothing. Anybody can write such a URL,
    /// so look at the link's host.
    public func dynamicLink(fromCustomSchemeURL url: URL) -> DynamicLink? {
        dynamicLink(fromUniversalLink: url)
            ?? Self.kith?.target(inScheme: url).map { DynamicLink(url: $0, matchType: .unique) }
    }

    /// Whether the URL is a link of the app, or on a host of deep links.
    public func matchesShortLinkFormat(_ url: URL) -> Bool {
        dynamicLink(fromUniversalLink: url) != nil || Self.kith?.mayBeDeepLink(url) == true
    }

    /// Asks by whose link the app was installed. Firebase's SDK did this by itself and looked at the
    /// pasteboard; here your app calls it, with the text that its user pasted.
    public func checkForPendingDynamicLink(
        pasteboard: String? = nil, completion: @escaping @Sendable (DynamicLink?, (any Error)?) -> Void
    ) {
        guard let kith = Self.kith else { return completion(nil, nil) }
        Task {
            do {
                let claim = try await kith.claimOnFirstLaunch(InstallEvidence(pasteboard: pasteboard))
                let invite = claim?.inviter.map {
                    DynamicLink(
                        url: kith.url(of: $0), matchType: claim?.confidence == .exact ? .unique : .weak)
                }
                let link = claim?.deepLink.map(DynamicLink.init) ?? invite
                DispatchQueue.main.async { completion(link, nil) }
            } catch {
                DispatchQueue.main.async { completion(nil, error) }
            }
        }
    }
}

/// A link that opened the app.
public struct DynamicLink: Hashable, Sendable {
    /// How sure it is that the link is of this user.
    public enum MatchType: Int, Sendable {
        case none, weak
        /// Kith never says it.
        case `default`
        case unique
    }

    /// The deep link: `https://join.example.com/users/ann?invitedBy=…`, also if it was wrapped or in the app's scheme.
    public let url: URL?
    public let matchType: MatchType

    /// `utm_…` of a deep link; empty for an invite.
    public let utmParametersDictionary: [String: String]
    /// `imv` of a deep link; nil for an invite: the operator sets a minimum system for those
    /// (`KITH_IOS_MINIMUM`).
    public let minimumAppVersion: String?

    init(url: URL, matchType: MatchType) {
        (self.url, self.matchType, utmParametersDictionary, minimumAppVersion) = (url, matchType, [:], nil)
    }

    init(_ link: DeepLink) {
        (url, matchType, minimumAppVersion) = (link.target, .unique, link.parameters["imv"])
        utmParametersDictionary = link.parameters.filter { $0.key.hasPrefix("utm_") }
    }
}
