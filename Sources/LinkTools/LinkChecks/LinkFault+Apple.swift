/// What may be wrong with apple-app-site-association.
extension LinkFault {
    static let apple = [
        noApplinks, noDetails, detailsDictionary, noAppID, appID, appIDsDiffer, appTwice, appsNotEmpty,
        variable,
        componentsDiffer, expectedIOS, noComponents, noPaths, noComments, noApps, noWebCredentials,
        noAppClips,
    ]

    static let noApplinks = LinkFault(
        "no-applinks", .error, "Apple: links are under `applinks`",
        mend: "add \"applinks\": { \"details\": […] }")
    static let noDetails = LinkFault(
        "no-details", .error, "Apple: `applinks.details` lists the apps; without it none opens",
        mend: "add an element with appIDs and components for each app")
    static let detailsDictionary = LinkFault(
        "details-dictionary", .warning,
        "Apple: `details` by app is the form of iOS 8, undocumented today; its order is open",
        mend: "write a list of { \"appIDs\": […], \"components\": […] }")
    static let noAppID = LinkFault(
        "no-app-id", .error, "Apple: rules without `appIDs` or `appID` are nobody's",
        mend: "add \"appIDs\": [\"TEAMID1234.com.example.app\"]")
    static let appID = LinkFault(
        "app-id", .error,
        "Apple: an app is PREFIX.bundle, the prefix ten capital letters or digits, mostly the team's id",
        mend: "write it as in the app's entitlement application-identifier")
    static let appIDsDiffer = LinkFault(
        "app-ids-differ", .warning, "systems before iOS 13 read `appID`, later ones `appIDs`",
        mend: "let appID be the first of appIDs, or leave it out")
    static let appTwice = LinkFault(
        "app-twice", .warning, "Apple: of two elements for an app only the first counts (not documented)",
        mend: "put all rules of an app into one element")
    static let appsNotEmpty = LinkFault(
        "apps-not-empty", .warning,
        "Apple: `applinks.apps` must be an empty list; only iOS 12 and before look at it",
        mend: "write \"apps\": []")
    static let variable = LinkFault(
        "variable", .error,
        "Apple: a variable is a name without $, ( and ), and a list of texts without variables",
        mend: "write \"name\": [\"one\", \"other\"]")
    static let componentsDiffer = LinkFault(
        "components-differ", .warning, "systems before iOS 13 read `paths`, later ones `components`",
        mend: "let both say the same")
    static let expectedIOS = LinkFault(
        "expected-ios-app", .error, "you named this app by --ios-app",
        mend:
            "add it to applinks.details; Kith takes it from KITH_IOS_TEAM_ID and KITH_IOS_BUNDLE_ID"
    )
    static let noComponents = LinkFault(
        "no-components", .note,
        "Apple: `paths` is for systems before iOS 13, and knows neither query nor fragment",
        mend: "add components, if rules should look at these")
    static let noPaths = LinkFault(
        "no-paths", .note, "Apple: systems before iOS 13 read only `appID` and `paths`",
        mend: "add them, if the app runs there")
    static let noComments = LinkFault(
        "no-comments", .note, "Apple: systems ignore `comment`; whoever changes the file next will not",
        mend: "say in a comment what each rule is for")
    static let noApps = LinkFault(
        "no-apps", .note, "Apple: systems before iOS 13 want \"apps\": []",
        mend: "add it, if the app runs there")
    static let noWebCredentials = LinkFault(
        "no-webcredentials", .note,
        "Apple: `webcredentials` lets the app fill in passwords and passkeys of the host",
        mend: "add \"webcredentials\": { \"apps\": […] }, if the app signs people in")
    static let noAppClips = LinkFault(
        "no-appclips", .note, "Apple: `appclips` lets links open an App Clip",
        mend: "add \"appclips\": { \"apps\": […] }, if there is one")
}
