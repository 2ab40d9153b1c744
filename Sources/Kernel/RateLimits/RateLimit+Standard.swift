package import Web

extension RateLimit {
    /// The default number of calls, and the window in seconds.
    package var standard: (quota: Int, window: Int) {
        switch self {
        case .landings, .api: (30_000, 60)
        case .pictures, .newcomers, .installs: (600, 60)
        case .visitors: (60, 3600)
        case .links: (60, 60)
        case .unauthenticated: (3_000, 60)
        case .client: (3_000, 60)
        case .codes: (6_000, 60)
        case .resolve, .accept, .signins: (30, 60)
        case .usernames: (60, 60)
        case .signup: (20, 60)
        case .calls: (1_200, 60)
        case .keys: (600_000, 60)
        case .sameCode: (1, 60)
        }
    }

    /// Whether all servers on the database count together. They do for limits against guessing; the other
    /// limits only protect each server from a flood.
    package var isShared: Bool {
        switch self {
        case .codes, .resolve, .accept, .usernames, .signup, .newcomers, .signins: true
        case .landings, .pictures, .api, .installs, .visitors, .links, .unauthenticated, .client, .calls,
            .keys, .sameCode:
            false
        }
    }
}
