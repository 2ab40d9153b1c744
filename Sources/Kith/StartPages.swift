import Kernel
import Web

/// What `/` of the host of links says before anybody has set up an app: the next steps.
struct StartPages: Sendable {
    struct Step: Sendable {
        var what: String
        /// A URL, a setting or a command.
        var how: String
        var isURL = false
    }

    let appName: String
    let steps: [Step]

    /// Returns the next steps. Empty once the app is set up.
    static func steps(of app: App) -> [Step] {
        let gaps = app.config.gaps
        guard app.isForDevelopment else {
            guard app.config.app.hasWayIn == false else { return [] }
            return gaps.map { Step(what: "Until you set this, \($0.effect)", how: $0.settings) }
                + [Step(what: "See all settings, and what is wrong with them", how: "kith serve --check")]
        }
        let origin = app.config.server.linkURL
        return [
            Step(what: "Open an invite", how: "\(origin)/users/hanako?invitedBy=demo-hanako", isURL: true),
            Step(what: "See what each device gets that opens it", how: "\(origin)/dev/devices", isURL: true),
            Step(
                what: "Get a token to call the API as a user (docs/apps.md)", how: "kith token --uid demo-ken"
            ),
            Step(
                what: "Show your own app on the pages (docs/settings.md)",
                how: "KITH_APP_NAME, KITH_APP_STORE_ID, KITH_ANDROID_PACKAGE, KITH_APP_SCHEME, KITH_APP_URL"),
        ] + gaps.map { Step(what: "Until you set this, \($0.effect)", how: $0.settings) }
    }

    var html: String {
        Templates.start.render(
            .start,
            [
                "appName": appName,
                "steps": steps.map {
                    ["what": $0.what, "how": $0.how, "isURL": $0.isURL] as [String: Any]
                },
            ])
    }

    var text: String {
        "Kith is running. Next:\n\n" + steps.map { "- \($0.what):\n  \($0.how)\n" }.joined()
    }
}
