/// The limits there are: whom each counts, its numbers, and whether all servers share it. The names are those of
/// `KITH_RATE_LIMITS` and of the headers.
enum RateLimit: UInt8, CaseIterable, Sendable {
    // What an address does. Behind one address of a carrier there may be twenty thousand people; opening a link that all
    // of them were sent within ten minutes, at most five times as densely at the peak, they make 200 requests a
    // second. So nothing that people do by the thousand may be below that.
    case landings, pictures, api, signups, unauthenticated, client
    /// Codes that lead nowhere. They have 80 bits, so it is the look-up that costs, not the guess. A dead link counts once a
    /// minute, however many open it: see `CodeGuesses`.
    case codes
    // What a user does.
    case resolve, accept, usernames, signup, calls
    /// What a server or admin key does.
    case keys
    /// Not a limit, but how `CodeGuesses` knows that it has counted a code.
    case sameCode

    var name: String { "\(self)" }

    /// Of those that an operator may set.
    static let settable = allCases.filter { $0 != .sameCode }

    /// So many calls in so many seconds.
    var standard: (quota: Int, window: Int) {
        switch self {
        case .landings, .api: (30_000, 60)
        case .pictures, .signups: (600, 60)
        case .unauthenticated: (3_000, 60)
        case .client: (3_000, 60)
        case .codes: (6_000, 60)
        case .resolve, .accept: (30, 60)
        case .usernames: (60, 60)
        case .signup: (20, 60)
        case .calls: (1_200, 60)
        case .keys: (600_000, 60)
        case .sameCode: (1, 60)
        }
    }

    /// Whether all servers on the database count together. So do those that stop guessing; the others only keep a server
    /// from being flooded, and each has that to fear for itself.
    var isShared: Bool {
        switch self {
        case .codes, .resolve, .accept, .usernames, .signup, .signups: true
        case .landings, .pictures, .api, .unauthenticated, .client, .calls, .keys, .sameCode: false
        }
    }
}

/// Which limit counts the user of a call: those that are not here count as `calls`.
enum RouteLimits {
    static let byPath: [String: RateLimit] = [
        "/v1/signup": .signup,
        "/v1/invites/resolve": .resolve,
        "/v1/invites/accept": .accept,
        "/v1/usernames/{username}": .usernames,
    ]

    static func limit(of path: String?) -> RateLimit {
        path.flatMap { byPath[$0] } ?? .calls
    }
}

/// Whom a limit counts: a user, a key, or a network.
struct RateLimitKey: Hashable, Sendable {
    let limit: RateLimit
    let subject: Subject

    struct Subject: Hashable, Sendable {
        let high: UInt64
        let low: UInt64
    }
}

extension ClientAddress {
    /// What is counted as one: an IPv4 address; of IPv6 the /64, which is what one customer has at least.
    var subject: RateLimitKey.Subject {
        isIPv4 ? .init(high: 0, low: low) : .init(high: high, low: 0)
    }
}
