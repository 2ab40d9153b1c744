import Web

/// The rules that a page must keep so that its previews show everywhere. They do no I/O.
struct PreviewRules: Sendable {
    static let mostPictureBytes = 300_000
    static let mostHeadBytes = 8192
    static let mostRedirects = 3

    struct Broken: Hashable, Sendable {
        /// What is wrong.
        var fault: String
        /// What to do about it.
        var mend: String
        /// What it is about, for programs. Nil for what a maker of a link cannot mend.
        var code: Code?
    }

    /// What is wrong with the texts and the picture of a page.
    enum Code: String, CaseIterable, Sendable {
        case noTitle, noDescription, noPicture, longTitle, longDescription, insecurePicture, smallPicture
    }

    /// The most characters that are shown everywhere.
    static let (longestTitle, longestDescription) = (70, 200)

    let visit: PreviewVisit

    /// The broken rules, in the order in which they are best mended.
    var broken: [Broken] {
        var broken = answer
        guard visit.status == 200 else { return broken }
        broken += head + texts + robots
        broken += visit.tags["og:image"] == nil ? [] : picture
        return broken
    }

    /// What the tags alone break.
    var ofTags: [Broken] { head + texts }

    private func rule(_ holds: Bool, _ fault: String, _ mend: String, _ code: Code? = nil) -> [Broken] {
        holds ? [] : [Broken(fault: fault, mend: mend, code: code)]
    }

    private var answer: [Broken] {
        if let failure = visit.failure {
            return [Broken(fault: "the page cannot be fetched: \(failure)", mend: failure.advice)]
        }
        let type = visit.headers["content-type"]?.lowercased() ?? "none"
        return rule(
            visit.status == 200, "the page answers \(visit.status)", "answer 200 to every fetcher of previews"
        )
            + rule(
                visit.addresses.count <= 1 + Self.mostRedirects,
                "\(visit.addresses.count - 1) redirects lead to the page", "link to the page itself")
            + rule(
                visit.status != 200 || type.hasPrefix("text/html") && type.contains("utf-8"),
                "the page's Content-Type is \(type)", "send text/html; charset=utf-8")
            + rule(
                visit.headers["content-encoding"] == nil,
                "the page is compressed by \(visit.headers["content-encoding"] ?? ""), though nobody asked for it",
                "compress only what Accept-Encoding asks for")
            + rule(
                visit.milliseconds <= 2000, "page and picture take \(visit.milliseconds) ms",
                "answer within 2 s: Discord gives up after some 5 s")
    }

    private var head: [Broken] {
        let tags = visit.tags
        let wrong = tags.tags.filter {
            $0.key.hasPrefix("og:") && $0.attribute != "property"
                || $0.key.hasPrefix("twitter:") && $0.attribute != "name"
        }
        return rule(
            tags.all("refresh").isEmpty, "the page goes elsewhere by <meta http-equiv=refresh>",
            "redirect by a status, or not at all")
            + rule(
                tags.end <= Self.mostHeadBytes,
                "the tags end \(tags.end.grouped) bytes into the page",
                "put them into the first \(Self.mostHeadBytes.grouped) bytes, before styles and scripts")
            + rule(
                wrong.isEmpty, "\(wrong.first?.key ?? "") is given by \(wrong.first?.attribute ?? "")=",
                "write property= for og: and name= for twitter:")
            + rule(
                tags.all("og:image").count <= 1, "there are \(tags.all("og:image").count) og:image",
                "give one: fetchers differ in which they take")
    }

    private var texts: [Broken] {
        let tags = visit.tags
        var broken: [Broken] = []
        let needed: KeyValuePairs<String, Code?> = [
            "og:title": .noTitle, "og:description": .noDescription, "og:url": nil, "og:image": .noPicture,
        ]
        for (key, code) in needed {
            broken += rule(tags[key] != nil, "\(key) is missing or empty", "give it in the head", code)
        }
        for (key, most, code) in [
            ("og:title", Self.longestTitle, Code.longTitle),
            ("og:description", Self.longestDescription, .longDescription),
        ] {
            let count = tags[key]?.unicodeScalars.count ?? 0
            broken += rule(
                count <= most, "\(key) has \(count) characters", "give at most \(most), or it is cut", code)
        }
        let urls: KeyValuePairs<String, Code?> = ["og:url": nil, "og:image": .insecurePicture]
        for (key, code) in urls {
            guard let url = tags[key] else { continue }
            let isSecure = url.hasPrefix("https://") || (isLocal && url.hasPrefix("http://"))
            broken += rule(isSecure, "\(key) is \(url)", "give an absolute https URL", code)
        }
        if let url = tags["og:url"] {
            broken += rule(
                !url.contains(/[?&](utm_|fbclid|gclid)/), "og:url has parameters of a campaign: \(url)",
                "leave them out: Facebook counts shares by og:url")
        }
        return broken
            + rule(
                tags["twitter:card"] == "summary_large_image",
                "twitter:card is \(tags["twitter:card"] ?? "missing")",
                "say summary_large_image, or X and Discord show a small picture", .smallPicture)
    }

    /// Whether the page is on this machine, which needs no https.
    private var isLocal: Bool {
        visit.addresses.first?.contains(/^http:\/\/(127\.|localhost[:\/]|\[::1\])/) ?? false
    }

    private var robots: [Broken] {
        var tokens: [String] = []
        for token in PreviewFetcher.all.compactMap(\.robotsToken) where !tokens.contains(token) {
            tokens.append(token)
        }
        let mend = "allow it there for \(tokens.joined(separator: ", "))"
        return rule(visit.mayFetchPage, "robots.txt forbids the page", mend)
            + rule(visit.mayFetchPicture, "robots.txt forbids the picture", mend)
            + rule(
                !visit.isForbiddenByTag,
                "the page has <meta name=robots content=noindex>",
                "send X-Robots-Tag to search engines instead: Telegram remembers for long not to show a preview"
            )
    }

    private var picture: [Broken] {
        guard let picture = visit.picture, picture.status == 200 else {
            let status = visit.picture.map { "answers \($0.status)" } ?? "cannot be fetched"
            return [Broken(fault: "the picture \(status)", mend: "answer 200 to whoever fetches the page")]
        }
        guard let size = picture.size else {
            return [Broken(fault: "the picture is neither a JPEG nor a PNG", mend: "give one of these")]
        }
        let tags = visit.tags
        let said = [tags["og:image:width"], tags["og:image:height"]].map { $0.flatMap { Int($0) } }
        return rule(
            picture.bytes <= Self.mostPictureBytes, "the picture has \(picture.bytes.grouped) bytes",
            "stay below \(Self.mostPictureBytes.grouped), or WhatsApp shows none")
            + rule(
                size.width == 1200 && size.height == 630,
                "the picture has \(size.width) × \(size.height) pixels", "make it 1200 × 630")
            + rule(
                picture.mediaType?.hasPrefix(size.mediaType) == true,
                "the picture's Content-Type is \(picture.mediaType ?? "missing")", "send \(size.mediaType)")
            + rule(
                said == [size.width, size.height], "og:image:width and og:image:height are not the picture's",
                "give its \(size.width) and \(size.height): Facebook then shows it at the first share")
            + rule(
                tags["og:image:type"] == size.mediaType,
                "og:image:type is \(tags["og:image:type"] ?? "missing")", "say \(size.mediaType)")
            + rule(tags["og:image:alt"] != nil, "og:image:alt is missing", "say what the picture shows")
    }
}
