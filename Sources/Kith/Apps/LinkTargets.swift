/// The hosts to which links may lead (`KITH_LINK_TARGETS`): compared with the host of the URL, never with its text.
struct LinkTargets: Hashable, Sendable {
    /// In lower case.
    private(set) var hosts: Set<String> = []
    /// As `.example.com`: every host below it.
    private(set) var suffixes: [String] = []

    init() {}

    /// Nil for a text that is not names of hosts, separated by commas, as in `example.com,*.example.com`.
    init?(_ text: String) {
        for name in text.lowercased().listed {
            guard name.wholeMatch(of: /(\*\.)?[a-z0-9\-]+(\.[a-z0-9\-]+)*/) != nil else { return nil }
            if name.hasPrefix("*.") { suffixes.append(String(name.dropFirst())) } else { hosts.insert(name) }
        }
    }

    func allow(_ url: WebURL) -> Bool {
        hosts.contains(url.host) || suffixes.contains { url.host.hasSuffix($0) }
    }

    mutating func add(_ url: WebURL) { hosts.insert(url.host) }
}
