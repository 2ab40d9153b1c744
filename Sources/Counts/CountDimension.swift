/// By what numbers divide. Each has few values in each sum, and the rest is `other`.
package enum CountDimension: String, CaseIterable, Codable, Sendable {
    /// `ios`, `android`, `desktop` or `other`.
    case platform
    /// Two capital letters, as a proxy says.
    case country
    /// The host of the page that led here.
    case referrer
    case source = "utm_source"
    case medium = "utm_medium"
    case campaign = "utm_campaign"
    /// The language that the visitor's browser asks for first.
    case language
    /// The app in whose browser the link was opened.
    case browser
    /// How a link was opened: `qr` if it was scanned from its QR code, else unknown.
    case via
    /// The key of the app of `kith apply` whose host was asked.
    case app
    /// Of an invite: `name`, `personal` or `custom`.
    case kind
    /// What gave something: an offer campaign, a program of rewards, a product.
    case item
    /// A word that says why or how it ended.
    case cause
    /// How long it took: `CountDuration`.
    case seconds
    /// The version of an app.
    case version
    /// The first number of the version of a phone's system.
    case os
    /// How many friends an account has, from and to: `LevelStore`.
    case friends

    /// Those that a URL says by parameters of the same names.
    package static let campaigns: [CountDimension] = [.source, .medium, .campaign]
}
