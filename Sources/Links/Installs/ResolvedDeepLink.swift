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
