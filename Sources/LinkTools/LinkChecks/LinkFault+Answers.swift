/// What may be wrong with a host and its answers.
extension LinkFault {
    static let answers = [
        unreachable, noHTTPS, loopback, port, redirect, status, missing, absent, onlyRoot, rootDiffers,
        wrongName,
        mediaType, androidMediaType, compressed, tooLarge, byteOrderMark, json, duplicateKey, robots, cache,
        sameHost,
    ]

    static let unreachable = LinkFault(
        "unreachable", .error,
        "Apple, Google: their servers must get the file from anywhere, by a valid certificate",
        mend: "let the host answer https at port 443, with a certificate and its whole chain, to everybody")
    static let noHTTPS = LinkFault(
        "no-https", .error, "Apple, Google: they ask by https only",
        mend: "serve https with a valid certificate")
    static let loopback = LinkFault(
        "loopback", .note, "phones ask by https only; this machine is taken as it is, for tests",
        mend: "check the host that phones use, too")
    static let port = LinkFault(
        "port", .warning, "Google, and Apple's servers for apps from the store, ask at port 443",
        mend: "serve the files at port 443")
    static let redirect = LinkFault(
        "redirect", .error, "Apple, Google: they follow no redirect of these files",
        mend: "answer 200 with the file at this very address, also without www. and before any sign-in")
    static let status = LinkFault(
        "status", .error, "Apple, Google: any answer but 200 is as if there were no file",
        mend: "answer 200 to everybody, without sign-in, challenge or block by country")
    static let missing = LinkFault(
        "missing", .error, "Apple, Google: without these files no link opens an app",
        mend:
            "put them into /.well-known/ at the root of the host; Kith makes them of the settings of your app"
    )
    static let absent = LinkFault(
        "absent", .note, "without it links open no app of that system", mend: "add it if there is such an app"
    )
    static let onlyRoot = LinkFault(
        "only-root", .warning,
        "Apple: only /.well-known is documented; the root is the second try of older systems",
        mend: "serve the file at /.well-known/apple-app-site-association")
    static let rootDiffers = LinkFault(
        "root-differs", .warning, "Apple: systems that look at the root open other links",
        mend: "serve the same file at both places, or only at /.well-known/")
    static let wrongName = LinkFault(
        "wrong-name", .error, "Apple: the file's name has no extension",
        mend: "call it apple-app-site-association, without .json")
    static let mediaType = LinkFault(
        "media-type", .warning, "Apple: the file is application/json; not every system takes another type",
        mend: "send Content-Type: application/json")
    static let androidMediaType = LinkFault(
        "media-type-android", .error, "Google: the file must be application/json",
        mend: "send Content-Type: application/json")
    static let compressed = LinkFault(
        "compressed", .warning, "RFC 9110: compress only for those who ask, by Accept-Encoding",
        mend: "send the file as it is to those who do not ask")
    static let tooLarge = LinkFault(
        "too-large", .error, "Apple: at most 128 KB, uncompressed (of Apple's older guides; not verified)",
        mend: "say the same with fewer patterns: * and ? instead of lists of paths")
    static let byteOrderMark = LinkFault(
        "byte-order-mark", .warning, "RFC 8259: JSON begins without one, and readers may refuse it",
        mend: "save the file as UTF-8 without BOM")
    static let json = LinkFault(
        "json", .error, "Apple, Google: what is not JSON is as if there were no file",
        mend: "mend it at this place")
    static let duplicateKey = LinkFault(
        "duplicate-key", .warning, "RFC 8259: which of two equal names counts is up to the reader",
        mend: "keep one of them")
    static let robots = LinkFault(
        "robots", .warning, "Google does not read what robots.txt forbids (not verified), and Apple may not",
        mend: "allow /.well-known/ in robots.txt")
    static let cache = LinkFault(
        "cache", .warning, "Google keeps the file for that long: a new app or key opens no links meanwhile",
        mend: "send Cache-Control with a max-age of at most a day")
    static let sameHost = LinkFault(
        "same-host", .note,
        "Apple: a link opens no app if it is tapped on a page of its own host, or typed in",
        mend:
            "let the page's button open the app by its scheme (KITH_APP_SCHEME), or show the page on another host"
    )
}
