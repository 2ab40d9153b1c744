/// The values that a template may name, and the mistakes that the template library does not see, or does not
/// name.
extension Templates.Name {
    /// The names of the values. docs/pages.md lists them too.
    var values: Set<String> {
        switch self {
        case .landing: Self.ofBoth.union(Self.ofLanding)
        case .error: Self.ofBoth.union(Self.ofError)
        case .deepLink: Self.ofBoth.union(Self.ofDeepLink)
        case .style, .script: []
        case .devices: Self.ofDevices
        case .link: Self.ofLink
        case .flow: Self.ofFlow
        case .start: ["appName", "steps", "what", "how", "isURL"]
        case .console:
            [
                "lang", "appName", "title", "sentences", "sentence", "sessionsTitle", "sessions", "what",
                "forms", "action", "links", "href", "label", "isFirst", "requestId",
            ]
        }
    }

    private static let ofBoth: Set = [
        "lang", "direction", "locale", "appName", "tagline", "hasIcon", "hasFooter", "runBy", "privacyURL",
        "privacy",
        "reportURL", "report", "title", "sentence", "hasOffers", "offers", "offer", "offerURL", "isFirst",
        "isAppStore", "isPlayStore", "isQuiet",
    ]

    private static let ofError: Set = ["advice", "requestId", "isClosed"]

    private static let ofDeepLink: Set = [
        "description", "image", "url", "webURL", "appStoreID", "appArgument", "iosURL",
        "androidPackage",
        "isInAppBrowser", "browserHint", "elsewhereURL", "isElsewhere", "takesFragment", "iconURL",
        "affiliateData",
        "takesInnerFragment", "copyTakesFragment", "closes", "closesURL", "closesMore", "link", "save",
        "saveHint", "saved",
        "saveRefused", "isForPad", "picture", "androidURL",
    ]

    private static let ofDevices: Set = [
        "appName", "link", "agent", "visitors", "number", "name", "row", "isRedirect", "needs", "offers",
        "offer",
        "offerURL", "opens", "installed",
    ]

    private static let ofLink: Set = [
        "lang", "direction", "appName", "hasIcon", "title", "url", "flowURL", "name", "times", "what", "time",
        "minute", "note", "hasTags", "tags", "tag", "nowhere", "parameters", "parameter", "value", "warnings",
        "warning", "code", "isLeftOut",
        "hasLeads", "leads",
        "visitor",
        "how", "place", "opens", "appURL", "previewTitle", "previewText", "previewImage", "svg", "png",
        "file", "qrAlternative",
        "total", "spans", "span", "spanURL", "isChosen", "narrow", "wide", "alternative", "platforms",
        "platform", "hasDays", "days", "day", "all", "cells", "count", "events", "event", "linkName",
        "linkCreated", "linkExpires",
        "linkArchived", "linkLeads", "linkPreview", "linkFlow", "linkParameters", "linkLeftOut",
        "linkClicks", "linkDay", "linkAll", "linkEvent", "linkTable",
    ]

    private static let ofFlow: Set = [
        "lang", "direction", "appName", "hasIcon", "title", "url", "isLong", "broken", "reason", "agent",
        "hidden",
        "name", "value", "counts", "flows", "number", "visitor", "isChosen", "way", "how", "place",
        "iPadPlace", "opens", "appURL",
        "previewTitle", "previewText", "previewImage", "width", "height", "boxes", "x", "y", "boxWidth",
        "boxHeight", "look", "lit", "lines", "line", "arrows", "path", "label", "parameters", "parameter",
        "warnings", "warning", "isLeftOut", "code", "flowAgent", "flowAgentHint", "flowShow",
        "linkParameters", "linkLeftOut",
    ]

    private static let ofLanding: Set = [
        "name", "displayName", "username", "avatarURL", "initial", "tint", "friends", "label", "note",
        "timeLeft", "placesLeft",
        "url", "link", "copied", "qr", "qrAlternative", "image", "openURL", "appArgument", "isInvite",
        "isAsk",
        "isProfile",
        "isLong", "hasTerms", "isPhone", "isInAppBrowser", "imageWidth", "imageHeight", "scan", "showQR",
        "copy", "linkCopied", "save", "saveHint", "saved", "saveRefused", "opensOnPad",
        "closes", "closesURL", "closesMore", "browserHint", "needs", "hasScript", "otherLocales",
        "appStoreID", "androidPackage",
    ]

    /// Throws a `TemplateError` for a tag that is not closed, that names no value, or whose section is not
    /// closed.
    func checkTags(of text: String) throws(TemplateError) {
        var open: [TemplateTag] = []
        for tag in try tags(of: text) where tag.kind != "!" && tag.kind != ">" {
            guard values.contains(tag.name) else { throw unknown(tag) }
            switch tag.kind {
            case "#", "^": open.append(tag)
            case "/":
                guard let section = open.popLast() else { throw mistake("closes no section", tag) }
                guard section.name == tag.name else {
                    let reason =
                        "stands in the section of line \(section.line): close that first, by {{/\(section.name)}}"
                    throw mistake(reason, tag)
                }
            default: break
            }
        }
        if let section = open.last {
            throw mistake("is not closed: put {{/\(section.name)}} where the section ends", section)
        }
    }

    private func tags(of text: String) throws(TemplateError) -> [TemplateTag] {
        var tags: [TemplateTag] = []
        let newline = UInt8(ascii: "\n")
        var (line, rest) = (1, Substring(text).utf8)
        while let start = rest.firstPair(of: UInt8(ascii: "{")) {
            line += rest[..<start.lowerBound].count { $0 == newline }
            try requireWhole(start, of: text, line: line)
            rest = rest[start.upperBound...]
            let end = rest.firstPair(of: UInt8(ascii: "}"))
            let content = Substring(rest[..<(end?.lowerBound ?? rest.endIndex)])
            let tag = TemplateTag(content, line: line)
            try refuseForbidden(tag)
            guard let end, tag.kind == "!" || content.utf8.firstPair(of: UInt8(ascii: "{")) == nil else {
                let shown = content.prefix { !$0.isNewline && $0 != "{" }
                throw TemplateError(file: fileName, reason: "line \(line): {{\(shown) has no }} at its end")
            }
            // Otherwise the library would take the braces for text.
            guard content.first?.isNewline != true else {
                throw TemplateError(
                    file: fileName, reason: "line \(line): {{ needs its name in the same line")
            }
            tags.append(tag)
            line += content.utf8.count { $0 == newline }
            try requireWhole(end, of: text, line: line)
            rest = rest[end.upperBound...]
        }
        return tags
    }

    /// Throws if a scalar beside the braces makes one character with a brace: the library reads characters,
    /// so it would not see the braces. Two braces are never one character.
    private func requireWhole(_ braces: Range<String.Index>, of text: String, line: Int) throws(TemplateError)
    {
        let scalars = text.unicodeScalars
        let joining: Unicode.Scalar? =
            if String.Index(braces.lowerBound, within: text) == nil {
                scalars[scalars.index(before: braces.lowerBound)]
            } else if String.Index(braces.upperBound, within: text) == nil {
                scalars[braces.upperBound]
            } else { nil }
        guard let joining else { return }
        let digits = String(joining.value, radix: 16, uppercase: true)
        throw TemplateError(
            file: fileName,
            reason: """
                line \(line): U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits) joins a brace of \
                \(String(scalars[braces])): put a space between them
                """)
    }

    /// Throws for a tag that would put a value on the page unescaped, switch off escaping, or be filled in
    /// too late to be hashed.
    private func refuseForbidden(_ tag: TemplateTag) throws(TemplateError) {
        switch tag.kind {
        case "{", "&", "=", "%":
            throw TemplateError(
                file: fileName,
                reason: "line \(tag.line): {{\(tag.kind) is not allowed: every value is escaped")
        case ">" where [.style, .script].contains(self) || !["style", "script"].contains(tag.name), "<":
            throw mistake("is not allowed: only {{>style}} and {{>script}} are, in a page", tag)
        case "!":
            break
        default:
            guard !tag.name.contains("(") else {
                throw mistake("is not allowed: functions are not, as values are filled in later", tag)
            }
        }
    }

    private func unknown(_ tag: TemplateTag) -> TemplateError {
        let nearest = tag.name.nearest(among: values).map { ": did you mean {{\(tag.kind)\($0)}}?" }
        return mistake("names no value of \(fileName)\(nearest ?? ", which has none")", tag)
    }

    private func mistake(_ reason: String, _ tag: TemplateTag) -> TemplateError {
        TemplateError(file: fileName, reason: "line \(tag.line): {{\(tag.kind)\(tag.name)}} \(reason)")
    }
}

extension Substring.UTF8View {
    /// Returns the first place where a byte stands twice, side by side. Searching for characters would add
    /// milliseconds to each start.
    fileprivate func firstPair(of byte: UInt8) -> Range<Index>? {
        var start = firstIndex(of: byte)
        while let first = start {
            let second = index(after: first)
            if second < endIndex, self[second] == byte { return first..<index(after: second) }
            start = self[second...].firstIndex(of: byte)
        }
        return nil
    }
}

/// The part between `{{` and `}}`.
private struct TemplateTag {
    /// The kind of the tag: `#`, `^` and `/` for sections, `>` for partials, `!` for comments, and the
    /// forbidden ones. Empty for a value.
    let kind: String
    let name: String
    let line: Int

    init(_ content: Substring, line: Int) {
        let hasKind = content.first.map { "#^/>!{&=%<".contains($0) } ?? false
        kind = hasKind ? String(content.prefix(1)) : ""
        let name = content.dropFirst(hasKind ? 1 : 0).drop(while: \.isWhitespace)
        self.name = String(name.reversed().drop(while: \.isWhitespace).reversed())
        self.line = line
    }
}
