/// A deep link as far as an app needs it.
package struct ResolvedDeepLink: Sendable {
    /// The link itself.
    var url: String
    /// Where it leads by now.
    var target: String
    /// By their names: the oldest versions that can open it, and its campaign.
    var parameters: [String: String]
    /// What its opening counts for.
    var counted: ClickedLink
}
