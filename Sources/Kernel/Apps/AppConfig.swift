package import Web

/// The operator's app, as pages show it and systems know it.
package struct AppConfig: Sendable {
    /// `KITH_APP_NAME`; Kith. The app's name.
    package var name = "Kith"
    /// `KITH_APP_TAGLINE`: what the app is, in a few words.
    package var tagline: String?
    /// `KITH_APP_URL`: a page about the app, to which dead links lead.
    package var homeURL: String?
    /// `KITH_APP_SCHEME`: the app's URL scheme, as in `myapp` for `myapp://users/…`, which the page's button
    /// opens. Without it there is no such button.
    package var scheme: String?
    /// `KITH_APP_SCHEME_URLS`: which URL of a scheme of the app shows the target of a deep link, as in
    /// `/hotels/* url=myapp://hotels/*/`, separated by commas.
    package var schemeURLs: String?
    /// `KITH_APP_STORE_ID`: the app's number in Apple's App Store.
    package var appStoreID: String?
    /// `KITH_APP_STORE_URL`: the app's page in Apple's App Store. If only the number is given, it is the
    /// usual one.
    package var appStoreURL: String?
    /// `KITH_IOS_TEAM_ID` and `KITH_IOS_BUNDLE_ID`: the app that links open on Apple's systems. Both are set,
    /// or neither.
    package var iosTeamID: String?
    package var iosBundleID: String?
    /// `KITH_IOS_OTHER_APPS`: further apps that links open and that may claim, as in
    /// `ABCDE12345.com.example.app.debug`, perhaps with `storeId=1234567890` and `scheme=other` behind it,
    /// separated by commas.
    package var iosOtherApps: String?
    /// `KITH_IOS_APP_CLIPS`: App Clips that links open, in the same form.
    package var iosAppClips: String?
    /// `KITH_ANDROID_FINGERPRINTS`: SHA-256 of the certificates of the keys that sign the app, separated by
    /// commas.
    package var androidFingerprints: String?
    /// `KITH_ANDROID_PACKAGE`: the app's package, as in `com.example.app`.
    package var androidPackage: String?
    /// `KITH_ANDROID_OTHER_APPS`: further apps that links open and that may claim, as in
    /// `com.example.app.debug=14:6D:E9:…`, separated by commas. A package with several keys is listed several
    /// times.
    package var androidOtherApps: String?
    /// `KITH_PLAY_STORE_URL`: the app's page in Google Play. If only the package is given, it is the usual
    /// one.
    package var playStoreURL: String?
    /// `KITH_IOS_MINIMUM` and `KITH_ANDROID_MINIMUM`: the oldest systems on which the app runs, as the stores
    /// show them.
    package var minimumIOS: SystemVersion?
    package var minimumAndroid: SystemVersion?
    /// `KITH_STORE_FIRST`; false. Whether a phone that opens an invite without the app goes straight to its
    /// store.
    package var storeFirst = false
    /// `KITH_DESKTOP_APP`; false. Whether the scheme opens the app on computers too, so that their pages have
    /// the button.
    package var hasDesktopApp = false
    /// `KITH_VANITY_LINKS`; false. Whether `/@{username}` leads to the user's page. A name that is held for a
    /// user leads there too.
    package var vanityLinks = false
    /// `KITH_LINK_DOMAINS`: the places of deep links, as in `https://go.example.com,https://example.com/l`.
    package var linkDomains: String?
    /// `KITH_LINK_TARGETS`: the hosts to which deep links may lead besides the app's own, as in
    /// `example.com,*.example.org`.
    package var linkTargets: String?
    /// `KITH_CORS_ORIGINS`: the web apps that may call the API from browsers, as in
    /// `https://app.example.com`.
    package var corsOrigins = CORSOrigins.none
    /// `KITH_APP_ICON`: the file of the app's icon, a square PNG, or the PNG itself as
    /// `data:image/png;base64,…`.
    package var icon: String?
    /// `KITH_OPERATOR_NAME`: who runs the pages, shown at their foot.
    package var operatorName: String?
    /// `KITH_PRIVACY_URL`: the privacy policy, linked at the foot of the pages.
    package var privacyURL: String?
    /// `KITH_REPORT_URL`: where abuse is reported, by http, https or mailto. It is linked at the foot of the
    /// pages.
    package var reportURL: String?
    /// `KITH_LANGUAGE`; en. The language for visitors who name none of the pages' languages, such as most
    /// fetchers of previews.
    package var language = "en"
    /// `KITH_SHOW_FRIEND_COUNT`; false. Whether the page of an invite says how many friends the inviter has.
    package var showsFriendCount = false
    /// `KITH_SUNSET`: the last day of a service that closes, as in 2027-03-31.
    package var sunset: Sunset?
    /// `KITH_SUNSET_URL`: an https page that tells users what comes next, and how they get their data.
    package var sunsetURL: String?
    /// `KITH_TEMPLATES`: a folder with templates and languages that replace the built-in ones, or add to
    /// them.
    package var templates: String?

    package init() {}
}
