/// Settings of installs.
package struct InstallPolicy: Sendable {
    /// `KITH_INSTALL_MATCHING`; exact. Whether an app without token and link may be matched by address,
    /// system and language.
    package var matching = Matching.exact

    package init() {}

    package enum Matching: String, Sendable {
        case exact, likely
    }

    /// How long a tap can be claimed, and how long a claim lasts after that.
    static let lifetime = Duration.seconds(30 * 86_400)
}
