/// A deep link by which an installation came, as far as the app needs it.
struct ClaimedDeepLink: Sendable {
    /// The link itself.
    var url: String
    /// Where it leads by now.
    var target: String
    /// By their names: the oldest versions that can open it, and its campaign.
    var parameters: [String: String]
    var counted: ClickedLink
}
