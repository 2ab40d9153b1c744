/// What may be wrong with rules, of Apple's file and of Google's.
extension LinkFault {
    static let rules = [
        type, unknownKey, excludeType, queryValue, notInComponent, neverMatches, noSlash, unknownVariable,
        shadowed,
        opensNothing, opensAll,
    ]

    static let type = LinkFault(
        "type", .error, "Apple, Google: a value of another type is ignored, or all that stands around it",
        mend: "write the type that is documented")
    static let unknownKey = LinkFault(
        "unknown-key", .warning, "Apple, Google: they ignore names that they do not know",
        mend: "check the spelling, or leave it out")
    static let excludeType = LinkFault(
        "exclude-type", .error, "Apple, Google: exclude is true or false, without quotes",
        mend: "write \"exclude\": true")
    static let queryValue = LinkFault(
        "query-value", .error,
        "Apple: one value that is no text makes it ignore all of `?` (as swcutil answers)",
        mend: "write a pattern in quotes, such as \"?*\" for any value")
    static let notInComponent = LinkFault(
        "not-in-component", .error, "Apple: only `paths` knows NOT; in `components` it is a part of the path",
        mend: "leave NOT out and write \"exclude\": true")
    static let neverMatches = LinkFault(
        "never-matches", .error, "Apple, Google: `/` is compared with the path as it stands in the URL",
        mend:
            "put the fragment under `#` and the query under `?`, leave out scheme and host, percent-encode the rest"
    )
    static let noSlash = LinkFault(
        "no-slash", .warning,
        "every path begins with a slash; Apple forgives its lack (as swcutil answers), Google may not",
        mend: "begin the pattern with / or *")
    static let unknownVariable = LinkFault(
        "unknown-variable", .error,
        "Apple: a pattern with a variable that has no list matches nothing; Google knows none",
        mend:
            "list it in substitutionVariables, or use one of $(alpha) $(digit) $(alnum) $(lang) $(region) and so on"
    )
    static let shadowed = LinkFault(
        "shadowed", .warning, "Apple, Google: the first rule that matches decides",
        mend: "put the narrower rule first, or leave it out")
    static let opensNothing = LinkFault(
        "opens-nothing", .error, "Apple, Google: what meets no rule opens the browser",
        mend: "add a rule without exclude, such as { \"/\": \"/users/?*\" }")
    static let opensAll = LinkFault(
        "opens-all", .warning,
        "the app opens for what it cannot show: files, and calls of the API that are tapped",
        mend: "name what the app can show, or exclude the rest before the rule that opens everything")
}
