import Foundation
import Web

/// Links inside other links.
extension InviteLinks {
    /// How often a link may be wrapped.
    static let mostWrappings = 3

    /// Returns a URL, the URL that it wraps, and so on.
    package func layers(of url: String) -> [String] {
        var layers = [url]
        while layers.count <= Self.mostWrappings, let inner = layers.last.flatMap(wrapped) {
            layers.append(inner)
        }
        return layers
    }

    /// Returns the URL that is wrapped in a Firebase Dynamic Link or in a page that leads out of another app,
    /// or with which Firebase's SDK opened an app. Nil if it is none of these.
    package func wrapped(in url: String) -> String? {
        let beginning = url.prefix(8).lowercased()
        if ["https%3a", "http%3a"].contains(where: beginning.hasPrefix) {
            return PercentEncoding.decode(url.utf8)
        }
        let scheme = url.prefix { $0 != ":" }
        let isOfApp = ([self] + others).contains { $0.appScheme == scheme.lowercased() }
        let onTheWeb = isOfApp ? "https\(url.dropFirst(scheme.count))" : url
        guard let parts = try? WebURL(StuckText.repaired(onTheWeb)) else { return nil }
        let query = Query(parts.query)
        if !isOfApp, Self.leadsOut(parts.host, parts.path) { return Self.ofProofpoint(url) ?? query.firstURL }
        let isFirebases = [".page.link", ".app.goo.gl"].contains { parts.host.hasSuffix($0) }
        guard isOfApp ? parts.host == "google" : isFirebases else { return nil }
        return try? query.value("deep_link_id") ?? query.value("link")
    }

    /// Whether apps and mail programs put this page in place of a link, with the link in its query.
    private static func leadsOut(_ host: String, _ path: Substring) -> Bool {
        if isGoogles(host) { return path == "/url" }
        return waysOut.contains { host == $0 || host.hasSuffix(".\($0)") }
    }

    /// Whether the host is Google's own, of any country: `google.com`, `www.google.co.jp`.
    private static func isGoogles(_ host: String) -> Bool {
        let labels = (host.hasPrefix("www.") ? host.dropFirst(4) : host[...]).split(separator: ".")
        return labels.first == "google" && (2...3).contains(labels.count)
            && labels.dropFirst().allSatisfy { (2...3).contains($0.utf8.count) }
    }

    /// Hosts of such pages, each with all hosts below it.
    private static let waysOut = [
        "l.facebook.com", "lm.facebook.com", "l.instagram.com", "l.messenger.com", "l.threads.com",
        "l.threads.net",
        "l.workplace.com", "safelinks.protection.outlook.com", "statics.teams.cdn.office.net", "linkedin.com",
        "out.reddit.com", "youtube.com", "vk.com", "vk.ru", "slack-redir.net", "duckduckgo.com",
        "t.umblr.com",
        "steamcommunity.com", "exit.sc", "link.zhihu.com", "link.csdn.net", "link.juejin.cn", "c.pc.qq.com",
        "weibo.cn", "deref-gmx.net", "deref-web.de", "deref-mail.com", "urldefense.com",
        "linkprotect.cudasvc.com",
        "clicktime.symantec.com",
    ]

    /// Returns the link in the path of `https://urldefense.com/v3/__{url}__;{replaced}!!…`. Each `*` in it
    /// stands for the next of the replaced characters, which are in base64. Nil if several in a row were
    /// replaced.
    private static func ofProofpoint(_ url: String) -> String? {
        guard let mark = url.utf8.firstRange(of: "/v3/__".utf8),
            let end = url.utf8[mark.upperBound...].firstRange(of: "__;".utf8)
        else { return nil }
        let link = url[mark.upperBound..<end.lowerBound]
        guard link.hasPrefix("https:/") || link.hasPrefix("http:/") else { return nil }
        let rest = url[end.upperBound...].utf8.prefix { $0 != UInt8(ascii: "!") }
        var replaced = (Base64URL.decode(Array(rest)[...]) ?? [])[...]
        var bytes: [UInt8] = []
        for byte in link.utf8 {
            guard byte == UInt8(ascii: "*") else {
                bytes.append(byte)
                continue
            }
            guard let first = replaced.popFirst(), first != UInt8(ascii: "*") else { return nil }
            bytes.append(first)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Query {
    /// The first value that is a URL of the web.
    fileprivate var firstURL: String? {
        (raw ?? "").split(separator: "&").lazy.compactMap { pair in
            PercentEncoding.decode(pair.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst())
        }
        .first { $0.hasPrefix("https://") || $0.hasPrefix("http://") }
    }
}
