import Foundation

/// Links inside others.
extension InviteLinks {
    /// How often a link may be wrapped.
    static let mostWrappings = 3

    /// A URL, what it wraps, and so on.
    func layers(of url: String) -> [String] {
        var layers = [url]
        while layers.count <= Self.mostWrappings, let inner = layers.last.flatMap(wrapped) {
            layers.append(inner)
        }
        return layers
    }

    /// What a link of Firebase Dynamic Links or a page that leads out of another app wraps, or the URL with which Firebase's SDK
    /// opened an app; nil if it is neither.
    func wrapped(in url: String) -> String? {
        if let encoded = url.wholeMatch(of: /https?%3[Aa].*/) {
            return PercentEncoding.decode(encoded.0.utf8)
        }
        let text = (try? WebURL(StuckText.repaired(url)))?.text ?? url
        guard let parts = URLComponents(string: text), parts.user == nil, parts.password == nil,
            let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased()
        else { return nil }
        let isWeb = ["https", "http"].contains(scheme)
        let query = Query(parts.percentEncodedQuery)
        if isWeb, Self.leadsOut(host, parts.percentEncodedPath) {
            return Self.ofProofpoint(url) ?? query.firstURL
        }
        let isFirebases = isWeb && [".page.link", ".app.goo.gl"].contains { host.hasSuffix($0) }
        let isOfItsSDK = host == "google" && ([self] + others).contains { $0.appScheme == scheme }
        guard isFirebases || isOfItsSDK else { return nil }
        return try? query.value("deep_link_id") ?? query.value("link")
    }

    /// Whether apps and mail programs put it in place of a link, with the link in its query.
    private static func leadsOut(_ host: String, _ path: String) -> Bool {
        if host.wholeMatch(of: /(?:www\.)?google(?:\.[a-z]{2,3}){1,2}/) != nil {
            return path == "/url"
        }
        return waysOut.contains { host == $0 || host.hasSuffix(".\($0)") }
    }

    /// Each with all hosts below it.
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

    /// In `https://urldefense.com/v3/__{url}__;…` the link stands in the path.
    private static func ofProofpoint(_ url: String) -> String? {
        url.firstMatch(of: /\/v3\/__(https?:\/\/?.*?)__;/).map { String($0.1) }
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
