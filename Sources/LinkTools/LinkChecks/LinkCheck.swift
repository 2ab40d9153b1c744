import Foundation
package import Kernel
package import Web

/// Fetches a host's association files, or reads those of a folder, and judges them.
package struct LinkCheck: Sendable {
    private let source: LinkSource
    private let expectations: LinkExpectations
    private let urls: [TestedURL]
    /// How long each file may take.
    private var timeout = Duration.seconds(10)
    /// Finds whether the host is public. Nil if it need not be.
    private var lookup: HostLookup?

    /// Creates a check of a host of a server's configuration, which it makes itself.
    /// - Parameters:
    ///   - origin: as in `https://join.example.com`.
    ///   - lookup: finds whether the host is public. Nil if it need not be.
    package init(
        origin: String, ios: [IOSApp], android: [AndroidApp], lookup: HostLookup?
    ) throws(LinkCheckError) {
        (source, _) = try Self.source(origin)
        expectations = LinkExpectations(ios: ios, android: android)
        (urls, self.lookup, timeout) = ([], lookup, .seconds(3))
    }

    /// - Parameters:
    ///   - target: a host with or without a port, a URL, or a folder.
    ///   - urls: the URLs to test, absolute or as paths.
    ///   - iosApps: the apps that must be there, as in `ABCDE12345.com.example.app`.
    ///   - androidApps: the Android apps that must be there, as in `com.example.app=14:6D:E9:…`.
    package init(
        _ target: String, urls: [String] = [], iosApps: [String] = [], androidApps: [String] = []
    ) throws(LinkCheckError) {
        let (source, path) = try Self.source(target)
        self.source = source
        expectations = try LinkExpectations(ios: iosApps, android: androidApps)
        var tested: [TestedURL] = []
        for text in (path.map { [$0] } ?? []) + urls {
            guard let url = TestedURL(text) else {
                throw LinkCheckError(
                    "--url \(text): it must be an http or https URL, percent-encoded, or a path that begins with /"
                )
            }
            tested.append(url)
        }
        self.urls = tested
    }

    /// Returns the source, and the URL if the target is one that leads beyond the host.
    private static func source(_ target: String) throws(LinkCheckError) -> (LinkSource, url: String?) {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: target, isDirectory: &isFolder) {
            guard isFolder.boolValue else {
                throw LinkCheckError("\(target) is a file: give the folder that it is in")
            }
            return (.folder(target), nil)
        }
        let hasScheme = target.contains("://")
        // This machine speaks http unless the target says otherwise.
        let host = target.prefix { $0 != "/" && $0 != ":" }
        let scheme = LinkSource.isLoopback(host.lowercased()) || target.hasPrefix("[::1]") ? "http" : "https"
        let text = hasScheme ? target : "\(scheme)://\(target)"
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let name = url.host()?.lowercased(), !name.isEmpty,
            url.user() == nil, url.port.map((1...65_535).contains) ?? true,
            hasScheme || !target.contains("/")
        else {
            throw LinkCheckError(
                "\(target) is no folder, and no host: give a host (join.example.com), a URL, or a folder")
        }
        let isAddress = name.contains(":") && !name.hasPrefix("[")
        let source = LinkSource.host(scheme: scheme, host: isAddress ? "[\(name)]" : name, port: url.port)
        let isWhole = ["", "/"].contains(url.path(percentEncoded: true)) && url.query() == nil
        return (source, isWhole ? nil : text)
    }

    /// - Parameter onStep: called with what comes next.
    package func run(onStep: (String) -> Void = { _ in }) async -> LinkReport {
        let visit: LinkVisit
        switch source {
        case .folder(let path): visit = LinkVisit(folder: path)
        case .host: visit = await fetch(onStep)
        }
        return LinkReport(visit, expectations, urls)
    }

    private func fetch(_ onStep: (String) -> Void) async -> LinkVisit {
        var visit = LinkVisit(source: source)
        for file in [AssociationFile.apple, .oldApple, .android] {
            onStep("fetching \(file.rawValue)")
            let answer = await fetch(file, file.rawValue, "kith check-links").answer
            visit.answers.append(answer)
            // Nothing else is available at this host.
            if let failure = answer.failure, failure.isOfServer { return visit }
        }
        onStep("fetching /robots.txt")
        visit.robots = RobotsRules.of(await fetch(.host, "/robots.txt", "kith check-links").whole)
        onStep("fetching a page")
        let own = urls.first { [nil, source.authority].contains($0.host) }
        visit.page = await fetch(
            .host, own.map { $0.path + ($0.query.isEmpty ? "" : "?\($0.query)") } ?? "/", Self.iPhone
        )
        .answer
        return visit
    }

    private static let iPhone = """
        Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 \
        Mobile/15E148 Safari/604.1
        """

    private func fetch(
        _ file: AssociationFile, _ path: String, _ agent: String
    ) async -> (answer: LinkVisit.Answer, whole: HTTPFetch.Answer?) {
        var answer = LinkVisit.Answer(file: file, address: source.name + path)
        do {
            guard let url = URL(string: answer.address) else { throw HTTPFetch.Failure.notHTTP }
            if let lookup {
                guard await !lookup.addresses(of: url).isEmpty else { throw HTTPFetch.Failure.nameUnknown }
                guard await lookup.isPublic(url) else { throw HTTPFetch.Failure.notPublic }
            }
            let whole = try await HTTPFetch.live(
                timeout: timeout, headers: ["User-Agent": agent, "Accept": "*/*"]
            ).get(url)
            (answer.status, answer.headers, answer.body) = (whole.status, whole.headers, Array(whole.body))
            return (answer, whole)
        } catch {
            answer.failure = HTTPFetch.Failure(error)
            return (answer, nil)
        }
    }
}
