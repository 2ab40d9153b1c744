package import Kernel
package import Web

/// A link that leads to a place by a table of its own: the content of a long link, or of a short one.
package struct DeepLink: Hashable, Sendable {
    /// The parameter `link`.
    package var target: WebURL
    /// All other valid parameters, by name.
    var values: [LinkParameter: String] = [:]
    /// The long or short link that was opened. Nil if nobody opened one.
    var opened: Opened?

    struct Opened: Hashable, Sendable {
        var domain: LinkDomain
        /// The code of a short link. Nil for a long link.
        var code: ShortLink.Code?
        /// The query of the URL.
        var query: String?
    }

    subscript(_ parameter: LinkParameter) -> String? { values[parameter] }
}

/// Why a link is not possible.
package enum DeepLinkError: Error, Hashable {
    /// The parameter `link` is missing.
    case noTarget
    /// The parameter `link` is not an http or https URL.
    case malformed(String)
    /// A value has more than `LinkParameter.mostBytes`, or all of them together more than
    /// `mostBytesTogether`.
    case tooLong(LinkParameter?)
    /// The values of a link that an app makes have more than `ShortLinkCreation.mostBytesOfApps` together.
    case tooLargeForApps
    /// A URL leads to a host that the operator does not allow.
    case notAllowed(LinkParameter, String)
    /// A URL is a deep link itself, so it could lead on without end.
    case targetIsLink(LinkParameter, String)
    /// The link leads to a user by the name alone, though a uid stands beside it.
    case losesUID
    /// The code is taken by a link that leads elsewhere.
    case codeTaken
    /// The URL that the code would make is something else of this server.
    case codeUnusable
}

/// The operator's app, with everything that links may name of it.
package struct LinkedProject: Sendable {
    package var targets: HostPatterns
    /// The places of its links. No link leads to another, but an app may read URLs there at which there is no
    /// link.
    package var domains: [LinkDomain] = []
    /// The places of the other apps' links on this server, to which no link leads either.
    var domainsOfOthers: [LinkDomain] = []
    package var packages: Set<String> = []
    package var bundles: Set<String> = []
    /// The schemes that open the app, in lower case. Others are refused, since a link could open any other
    /// app.
    package var schemes: Set<String> = []
    /// The app's number in the App Store. Nil if the operator does not say it.
    package var storeID: String?
    /// The numbers of further apps, by their bundle ids.
    package var otherStoreIDs: [String: String] = [:]

    package init(targets: HostPatterns) {
        self.targets = targets
    }

    /// Whether a link with these bundle ids may lead to this number in the App Store. An app without a number
    /// of its own counts as a build of the main one.
    fileprivate func allows(storeID given: String, of bundles: [String]) -> Bool {
        let known = bundles.isEmpty ? [storeID] : bundles.map { otherStoreIDs[$0] ?? storeID }
        return known.contains { $0 == nil || $0 == given }
    }

    /// Returns the project as one of several on a server.
    package func beside(_ all: some Sequence<LinkedProject>) -> LinkedProject {
        var project = self
        project.domainsOfOthers = all.flatMap(\.domains)
        return project
    }

    /// Whether a URL stands in a place of links, so that a browser finds a link there, or nothing.
    func owns(_ url: WebURL) -> Bool { domains.contains { $0.has(url) } }

    fileprivate func isOfLinks(_ url: WebURL) -> Bool {
        owns(url) || domainsOfOthers.contains { $0.has(url) }
    }
}

extension DeepLink {
    /// - Parameters:
    ///   - given: names of parameters, and their values, decoded.
    ///   - isStrict: whether a fallback that the operator does not allow is an error. If not, it is left out,
    ///     so that an old link still works.
    package static func read(
        _ given: [(name: String, value: String)], for project: LinkedProject, isStrict: Bool
    ) throws(DeepLinkError) -> (DeepLink, [LinkWarning]) {
        var reading = Reading(project: project, isStrict: isStrict)
        for (name, value) in given { try reading.take(name, value) }
        return try reading.finish()
    }

    fileprivate struct Reading {
        let project: LinkedProject
        let isStrict: Bool
        var target: WebURL?
        var values: [LinkParameter: String] = [:]
        var warnings: [LinkWarning] = []
        private var unknown = 0

        init(project: LinkedProject, isStrict: Bool) {
            (self.project, self.isStrict) = (project, isStrict)
        }

        mutating func warn(_ code: LinkWarning.Code, _ parameter: String, host: String? = nil) {
            warnings.append(LinkWarning(code: code, parameter: parameter, host: host))
        }

        mutating func take(_ name: String, _ value: String) throws(DeepLinkError) {
            // Firebase's page added these parameters to URLs that people copied, and QR codes theirs.
            if name.hasPrefix("_") || name == "cid" || name == ScannedLink.mark { return }
            switch name {
            case "d":
                if value != "1", value != "0" { warn(.badDebugParameter, name) }
                return
            case "ad":
                if value != "1", value != "0" { warn(.badAdParameter, name) }
                return
            default: break
            }
            guard let parameter = LinkParameter(rawValue: name) else {
                unknown += 1
                // If there are very many, the first ones tell enough.
                if unknown <= LinkParameter.mostUnknown { warn(.unrecognizedParameter, name) }
                return
            }
            guard value.utf8.count <= LinkParameter.mostBytes else {
                if parameter == .link { throw .tooLong(parameter) }
                return warn(.tooLongParameter, name)
            }
            if parameter == .link {
                target = try destination(parameter, value)
            } else {
                try keep(parameter, value)
            }
        }

        private mutating func keep(_ parameter: LinkParameter, _ value: String) throws(DeepLinkError) {
            let value = parameter.kind.withoutStuckText(value)
            guard !value.isEmpty else { return }
            switch parameter.kind {
            case .destination:
                guard let url = try fallback(parameter, value) else { return }
                values[parameter] = url.text
            case .webURL:
                guard let url = webURL(parameter, value) else { return }
                values[parameter] = url.text
            case .number:
                guard value.utf8.count <= 18, value.utf8.allSatisfy(\.isASCIIDigit) else {
                    return warn(
                        parameter == .amv ? .notIntegerAndroidPackageMinVersion : .notNumericIOSAppStoreID,
                        parameter.rawValue)
                }
                values[parameter] = value
            case .flag:
                guard ["0", "1"].contains(value) else { return warn(.unspecified, parameter.rawValue) }
                values[parameter] = value
            case .scheme:
                guard project.schemes.contains(value.lowercased()) else {
                    return warn(.unspecified, parameter.rawValue)
                }
                values[parameter] = value.lowercased()
            case .text:
                if parameter == .gclid { warn(.deprecatedParameter, parameter.rawValue) }
                values[parameter] = value.inPlainLine
            }
        }

        private func destination(_ parameter: LinkParameter, _ value: String) throws(DeepLinkError) -> WebURL
        {
            guard let url = try? WebURL(value) else { throw .malformed(value) }
            // The URL is a short link only if its code exists, which the database knows.
            if project.owns(url), LongLink.parameters(url.query) == nil { return url }
            guard !project.isOfLinks(url) else { throw .targetIsLink(parameter, value) }
            guard project.targets.has(url.host) else { throw .notAllowed(parameter, value) }
            return url
        }

        private mutating func fallback(
            _ parameter: LinkParameter, _ value: String
        ) throws(DeepLinkError) -> WebURL? {
            guard let url = webURL(parameter, value) else { return nil }
            let isLink = project.isOfLinks(url)
            guard isLink || !project.targets.has(url.host) else { return url }
            if isStrict { throw isLink ? .targetIsLink(parameter, value) : .notAllowed(parameter, value) }
            warn(.unspecified, parameter.rawValue, host: isLink ? nil : url.host)
            return nil
        }

        private mutating func webURL(_ parameter: LinkParameter, _ value: String) -> WebURL? {
            do throws(WebURL.Fault) {
                return try WebURL(value)
            } catch {
                warn(
                    error == .scheme && value.contains(":") ? parameter.badScheme : parameter.notURI,
                    parameter.rawValue)
                return nil
            }
        }

        /// Checks what only the whole link shows, and returns it.
        mutating func finish() throws(DeepLinkError) -> (DeepLink, [LinkWarning]) {
            guard let target else { throw .noTarget }
            let bytes = values.values.reduce(target.text.utf8.count) { $0 + $1.utf8.count }
            if isStrict, bytes > LinkParameter.mostBytesTogether { throw .tooLong(nil) }
            if target.text.utf8.contains(UInt8(ascii: "#")) { warn(.linkWithFragments, "link") }
            checkProject()
            for (parameter, needed, code) in LinkParameter.needs where values[parameter] != nil {
                guard !needed.contains(where: { values[$0] != nil }) else { continue }
                values[parameter] = nil
                warn(code, parameter.rawValue)
            }
            return (DeepLink(target: target, values: values), warnings)
        }

        private mutating func checkProject() {
            for (parameter, known, code) in [
                (LinkParameter.apn, project.packages, LinkWarning.Code.notInProjectAndroidPackageName),
                (.ibi, project.bundles, .notInProjectIOSBundleID),
                (.ipbi, project.bundles, .notInProjectIPadBundleID),
            ] {
                func isKnown(_ id: String) -> Bool {
                    known.contains(id) && id.utf8.allSatisfy(\.isVisibleASCII)
                }
                guard let value = values[parameter], !isKnown(value) else { continue }
                values[parameter] = StuckText.dottedBeginning(of: value, where: isKnown)
                if values[parameter] == nil { warn(code, parameter.rawValue) }
            }
            let named = [values[.ibi], values[.ipbi]].compactMap(\.self)
            if let given = values[.isi], !project.allows(storeID: given, of: named) {
                values[.isi] = nil
                warn(.notMatchingIOSBundleIDAndStoreID, "isi")
            }
        }
    }
}

extension String {
    /// The text with spaces in place of line breaks and control characters. Nobody sees these in a title, and
    /// a file of links cannot hold them.
    fileprivate var inPlainLine: String {
        // In UTF-8 the upper control characters begin with C2.
        guard utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == 0xC2 }) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }
}

extension LinkParameter.Kind {
    /// Returns the value without text that is stuck to it, which may be if it comes last in a long link.
    fileprivate func withoutStuckText(_ value: String) -> String {
        switch self {
        case .number, .flag:
            return StuckText.dottedBeginning(of: value) { $0.utf8.allSatisfy(\.isASCIIDigit) } ?? value
        case .destination, .webURL, .scheme, .text: return value
        }
    }
}

extension LinkParameter {
    /// Parameters that mean nothing without one of the others.
    fileprivate static let needs: [(LinkParameter, [LinkParameter], LinkWarning.Code)] = [
        (.amv, [.apn], .unnecessaryAndroidPackageMinVersion), (.al, [.apn], .unnecessaryAndroidLink),
        (.ius, [.ibi, .ipbi], .unnecessaryIOSURLScheme), (.isi, [.ibi, .ipbi], .unnecessaryIOSAppStoreID),
    ]

    fileprivate var notURI: LinkWarning.Code {
        switch self {
        case .al: .notURIAndroidLink
        case .afl: .notURIAndroidFallbackLink
        case .ifl: .notURIIOSFallbackLink
        case .ipfl: .notURIIPadFallbackLink
        case .si: .notURISocialImageLink
        default: .unspecified
        }
    }

    fileprivate var badScheme: LinkWarning.Code {
        switch self {
        case .al: .notURIAndroidLink
        case .afl: .badURISchemeAndroidFallbackLink
        case .ifl: .badURISchemeIOSFallbackLink
        case .ipfl: .badURISchemeIPadFallbackLink
        case .si: .badURISchemeSocialImageLink
        default: .unspecified
        }
    }
}
