import Web

/// The association files that a host, or a folder, has.
struct LinkVisit: Sendable {
    let source: LinkSource
    /// The answers for the files that were asked for.
    var answers: [Answer] = []
    /// The rules of robots.txt. Nil if it allows everything.
    var robots: RobotsRules?
    /// A page that a link shows.
    var page: Answer?
    /// A file of the folder with a wrong name, for which nobody asks.
    var misnamed: String?

    /// An answer of a host, or a file of a folder.
    struct Answer: Sendable {
        let file: AssociationFile
        let address: String
        var status = 0
        /// The headers by their names in lower case. Empty for a folder's file.
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        /// Why there is no answer.
        var failure: HTTPFetch.Failure?

        var isMissing: Bool { status == 404 || status == 410 }
        var isFound: Bool { failure == nil && status == 200 }
        var isRedirect: Bool { (300...399).contains(status) }
    }

    subscript(file: AssociationFile) -> Answer? { answers.first { $0.file == file } }

    /// Whether the host could be asked.
    var isReached: Bool { answers.allSatisfy { $0.failure?.isOfServer != true } }

    /// The answer with Apple's file. The root is used if there is none in `/.well-known`.
    var apple: Answer? {
        let first = self[.apple]
        return first?.isFound == true ? first : self[.oldApple].flatMap { $0.isFound ? $0 : nil } ?? first
    }
}

/// The source of files.
enum LinkSource: Hashable, Sendable {
    /// A host, as in `https://join.example.com`, without a slash at its end.
    case host(scheme: String, host: String, port: Int?)
    case folder(String)

    var name: String {
        switch self {
        case .host(let scheme, _, _): "\(scheme)://\(authority ?? "")"
        case .folder(let path): path
        }
    }

    /// The host with its port. Nil for a folder.
    var authority: String? {
        guard case .host(_, let host, let port) = self else { return nil }
        return host + (port.map { ":\($0)" } ?? "")
    }

    /// Whether it is this machine.
    var isLoopback: Bool {
        guard case .host(_, let host, _) = self else { return false }
        return Self.isLoopback(host)
    }

    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host == "::1"
            || host.wholeMatch(of: /127\.[0-9.]+/) != nil
    }
}
