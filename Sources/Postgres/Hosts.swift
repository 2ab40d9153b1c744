internal import CLibPQ

/// The operator's URL, and the order in which to try its hosts.
///
/// libpq tries several hosts by itself, but its non-blocking connect has no timeout, so a host that swallows
/// packets would hide those behind it. So each attempt begins at the next host.
struct Hosts: Sendable {
    private let url: String
    /// `host`, `hostaddr` and `port` as in the URL, split at the commas.
    private var lists: [String: [String]] = [:]
    let count: Int
    /// The only host to try. Nil if all are tried.
    private var only: Int?

    /// Throws `unavailable` with libpq's message if the URL is invalid.
    init(url: String) throws {
        self.url = url
        var message: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &message) else {
            defer { PQfreemem(message) }
            throw PostgresError.unavailable(reason: message.map { String(cString: $0) } ?? "bad database URL")
        }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            let name = String(cString: keyword)
            if ["host", "hostaddr", "port"].contains(name), let value = option.pointee.val {
                lists[name] = String(cString: value).split(separator: ",", omittingEmptySubsequences: false)
                    .map(
                        String.init)
            }
            option += 1
        }
        count = max(lists["host"]?.count ?? 1, lists["hostaddr"]?.count ?? 1)
    }

    /// One value for each host, which tries only that host.
    var each: [Hosts] {
        (0..<count).map { index in
            var host = self
            host.only = index
            return host
        }
    }

    /// The host for logs, as in `db:5432`.
    var name: String {
        ["host", "hostaddr", "port"].compactMap { keyword -> String? in
            guard let list = lists[keyword] else { return nil }
            if keyword == "hostaddr", lists["host"] != nil { return nil }
            return list[list.count == count ? only ?? 0 : 0]
        }.filter { !$0.isEmpty }.joined(separator: ":")
    }

    /// Keywords and values for libpq, where later ones win. The host at index `first` comes first.
    func parameters(first: Int, name: String, timeouts: [(String, String)]) -> [(String, String)] {
        var parameters = timeouts + [("fallback_application_name", name), ("dbname", url)]
        for (keyword, list) in lists where count > 1 && list.count == count {
            let shift = (only ?? first) % count
            let hosts = only == nil ? list[shift...] + list[..<shift] : list[shift...shift]
            parameters.append((keyword, hosts.joined(separator: ",")))
        }
        return parameters + [("client_encoding", "UTF8")]
    }
}
