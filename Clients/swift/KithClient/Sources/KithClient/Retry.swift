import Foundation

/// Which calls are repeated, when, and how often.
public struct RetryRules: Sendable {
    /// How often a call is sent at most.
    public var attempts: Int
    /// The wait before the first repetition, in seconds, if the server names none; it doubles each time.
    public var firstWait: Double
    /// A server that asks for a longer wait, in seconds, ends the call: your user should not watch a spinner
    /// so long.
    public var longestWait: Double

    public init(attempts: Int = 4, firstWait: Double = 0.5, longestWait: Double = 30) {
        (self.attempts, self.firstWait, self.longestWait) = (attempts, firstWait, longestWait)
    }

    /// Why an attempt gave no result.
    enum Failure {
        case problem(KithProblem)
        case noAnswer(any Error)
    }

    /// How many seconds to wait before the next attempt; nil if there is none.
    /// - Parameters:
    ///   - attempt: how often the call was sent, from 1.
    ///   - jitter: from 0 to 1, so that clients that failed together do not come back together.
    func wait(after failure: Failure, attempt: Int, isRepeatable: Bool, jitter: Double) -> Double? {
        guard isRepeatable, attempt < attempts else { return nil }
        var named = 0.0
        switch failure {
        case .problem(let problem):
            guard problem.isPassing else { return nil }
            named = problem.retryAfter ?? 0
        case .noAnswer(let error):
            guard Self.isLost(error) else { return nil }
        }
        let backoff = firstWait * pow(2, Double(attempt - 1)) * (0.5 + jitter / 2)
        // Never sooner than the server says, and a little later: many phones were told the same second.
        let wait = named > 0 ? named + jitter * min(named, 1) : backoff
        return wait <= longestWait ? wait : nil
    }

    /// If the connection was lost, or there was none: the server may have done the call or not.
    static func isLost(_ error: any Error) -> Bool {
        guard let error = error as? URLError else { return false }
        let codes: [URLError.Code] = [
            .networkConnectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
            .notConnectedToInternet, .badServerResponse, .cannotParseResponse, .resourceUnavailable,
        ]
        return codes.contains(error.code)
    }

    /// If a call can be sent twice. Docs say which POST makes something new each time: it needs an
    /// `Idempotency-Key`.
    static func isRepeatable(method: String, path: String, hasKey: Bool) -> Bool {
        let posts: Set = [
            "/v1/signup", "/v1/invites/resolve", "/v1/invites/accept", "/v1/installs/claim", "/v1/users",
            "/v1/requests", "/v1/links/resolve", "/v1/me/transactions",
        ]
        return method != "POST" || hasKey || posts.contains(path) || path.hasPrefix("/v1/me/offers/")
    }
}

extension KithProblem {
    /// If the same call may succeed soon. The other 429 last for hours or days.
    fileprivate var isPassing: Bool {
        switch status {
        case 429: code == .rateLimited
        case 502, 503, 504: true
        case 409: code == .changedMeanwhile
        default: false
        }
    }
}
