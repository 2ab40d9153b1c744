import Visits
package import Web

/// The parts of a deep link that an app needs.
package struct ResolvedDeepLink: Sendable {
    /// The link itself.
    var url: String
    /// Where it leads now.
    var target: String
    /// The oldest versions that can open it, and its campaign, by the names of the parameters.
    var parameters: [String: String]
    /// The link for which its opening counts.
    var counted: ClickedLink
}

/// Reads a URL in a text for the app with a key. Nil if it is not one of the app's deep links, or leads
/// nowhere.
package typealias DeepLinkReading =
    @Sendable (
        _ url: String, _ text: String, _ app: String, _ from: ClientAddress?
    ) async throws -> ResolvedDeepLink?
