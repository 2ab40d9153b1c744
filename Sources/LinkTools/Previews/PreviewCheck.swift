import Foundation
import Pictures
import Web

/// Fetches a page as programs do that show previews of links, and judges what they get.
package struct PreviewCheck: Sendable {
    private let url: URL
    var lookup = HostLookup.live

    /// Nil if the text is not an absolute http or https URL.
    package init?(_ text: String) {
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased(),
            ["http", "https"].contains(scheme),
            url.host()?.isEmpty == false, url.port.map((1...65_535).contains) ?? true
        else { return nil }
        self.url = url
    }

    /// - Parameter onStep: called with what comes next.
    package func run(onStep: (String) -> Void = { _ in }) async -> PreviewReport {
        onStep("asking as a browser")
        let browser = await visit(.browser, nil)
        if let failure = browser.failure, browser.addresses.count == 1 {
            return PreviewReport(visits: [], common: [], failure: failure)
        }
        let robots = await self.robots(of: url)
        var visits: [PreviewVisit] = []
        for fetcher in PreviewFetcher.all {
            onStep("asking as \(fetcher.name)")
            visits.append(await visit(fetcher, robots))
        }
        onStep("asking for parts")
        return PreviewReport(visits: visits, common: differences(visits, browser) + (await partial()))
    }

    private func fetch(
        _ url: URL, _ fetcher: PreviewFetcher, _ method: String = "GET", range: String? = nil
    ) async throws -> HTTPFetch.Answer {
        guard await mayReach(url) else { throw HTTPFetch.Failure.notPublic }
        var headers = ["User-Agent": fetcher.userAgent, "Accept": "*/*"]
        headers["Range"] = range
        return try await HTTPFetch.live(
            timeout: .seconds(10), mostBytes: 16 << 20, method: method, headers: headers
        ).get(url)
    }

    /// Whether the check may fetch a URL to which the page leads or that it names. A page on the Internet may
    /// not make it fetch from a private network. Otherwise a check of foreign links, for instance in a
    /// pipeline, would ask its own network.
    func mayReach(_ target: URL) async -> Bool {
        guard target.host() != url.host(), await lookup.isPublic(url) else { return true }
        return await lookup.isPublic(target)
    }

    private func visit(_ fetcher: PreviewFetcher, _ robots: RobotsRules?) async -> PreviewVisit {
        let start = ContinuousClock.now
        var visit = PreviewVisit(fetcher: fetcher, addresses: [url.absoluteString], status: 0)
        do {
            var (here, answer) = (url, try await fetch(url, fetcher))
            while (301...308).contains(answer.status), visit.addresses.count < 10,
                let next = answer.headers["location"].flatMap({
                    URL(string: $0, relativeTo: here)?.absoluteURL
                })
            {
                here = next
                visit.addresses.append(here.absoluteString)
                answer = try await fetch(here, fetcher)
            }
            (visit.status, visit.headers) = (answer.status, answer.headers)
            visit.tags = PreviewTags(html: Array(answer.body))
            visit.mayFetchPage = allows(robots, here, fetcher)
            if let picture = visit.pictureAddress.flatMap({ URL(string: $0, relativeTo: here)?.absoluteURL })
            {
                visit.mayFetchPicture = allows(robots, picture, fetcher)
                visit.picture = try? await self.picture(picture, fetcher)
            }
        } catch {
            visit.failure = HTTPFetch.Failure(error)
        }
        visit.milliseconds = Int(start.duration(to: .now) / .milliseconds(1))
        return visit
    }

    private func picture(_ url: URL, _ fetcher: PreviewFetcher) async throws -> PreviewVisit.Picture {
        let answer = try await fetch(url, fetcher)
        let bytes = Array(answer.body)
        let mediaType = bytes.starts(with: [0xFF, 0xD8]) ? "image/jpeg" : "image/png"
        let size = Bitmap(bytes, maxPixels: 1 << 24).map {
            PreviewVisit.Picture.Size(width: $0.width, height: $0.height, mediaType: mediaType)
        }
        return PreviewVisit.Picture(
            status: answer.status, mediaType: answer.headers["content-type"], bytes: bytes.count, size: size)
    }

    /// Returns the robots.txt of the page's server. Nil if it has none. That of another host with the picture
    /// is not read.
    private func robots(of url: URL) async -> RobotsRules? {
        guard let address = URL(string: "/robots.txt", relativeTo: url) else { return nil }
        return RobotsRules.of(try? await fetch(address.absoluteURL, .browser))
    }

    private func allows(_ robots: RobotsRules?, _ address: URL, _ fetcher: PreviewFetcher) -> Bool {
        guard let robots, let token = fetcher.robotsToken, address.host() == url.host() else { return true }
        let path = address.path(percentEncoded: true)
        let query = address.query(percentEncoded: true).map { "?\($0)" } ?? ""
        return robots.allows((path.isEmpty ? "/" : path) + query, for: token)
    }

    /// Returns differences between fetchers. iMessage asks as Facebook and Twitter at once, and WhatsApp from
    /// the sender's phone.
    private func differences(_ visits: [PreviewVisit], _ browser: PreviewVisit) -> [PreviewRules.Broken] {
        let others = visits.filter { $0.status == 200 && $0.tags.tags != browser.tags.tags }
        guard browser.status == 200, !others.isEmpty else { return [] }
        // Tags that tell search engines what to do may differ.
        func told(_ visit: PreviewVisit) -> [PreviewTags.Tag] {
            visit.tags.tags.filter { $0.key != "robots" }
        }
        guard others.contains(where: { told($0) != told(browser) }) else { return [] }
        let names = others.map(\.fetcher.name).joined(separator: ", ")
        return [
            PreviewRules.Broken(
                fault: "\(names): other tags than for a browser", mend: "send the same tags to everybody")
        ]
    }

    /// Checks requests for a part of the page, as Slack and LINE make them, and HEAD requests.
    private func partial() async -> [PreviewRules.Broken] {
        let slack = PreviewFetcher.all.first { $0.name == "Slack" } ?? .browser
        var broken: [PreviewRules.Broken] = []
        if let part = try? await fetch(url, slack, range: "bytes=0-4095"), part.status >= 400 {
            broken.append(
                PreviewRules.Broken(
                    fault: "a request with Range answers \(part.status)", mend: "answer 206, or 200 with all")
            )
        }
        if let head = try? await fetch(url, slack, "HEAD"), let whole = try? await fetch(url, slack),
            head.status != whole.status || head.headers["content-type"] != whole.headers["content-type"]
        {
            broken.append(
                PreviewRules.Broken(
                    fault: "HEAD answers otherwise than GET", mend: "answer both with the same headers"))
        }
        return broken
    }
}
