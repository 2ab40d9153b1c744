package import HTTPTypes
import Web

// The headers are those of draft-ietf-httpapi-ratelimit-headers: r is how many calls may follow at once, and
// after t seconds the quota is full again.
extension RateLimiter {
    func headers(_ limit: RateLimit, _ verdict: GCRA.Verdict) -> HTTPFields {
        guard let rate = config.limits[limit] else { return [:] }
        return [
            .rateLimitPolicy: "\"\(limit.name)\";q=\(rate.quota);w=\(rate.window)",
            .rateLimit: "\"\(limit.name)\";r=\(verdict.remaining);t=\(verdict.untilFull)",
        ]
    }
}

// Each is a valid token, made once at its first use.
// swift-format-ignore: NeverForceUnwrap
package extension HTTPField.Name {
    static let rateLimitPolicy = HTTPField.Name("RateLimit-Policy")!
    static let rateLimit = HTTPField.Name("RateLimit")!
}
