import Foundation
import Testing

@testable import Kernel
@testable import Kith
@testable import Web

/// `KITH_RATE_LIMITS`.
struct RateLimitConfigTests {
    @Test func `changed limits are set, the others keep their defaults`() throws {
        let config = try RateLimitConfig("resolve=10/h, landings=off")
        #expect(config.isOn)
        #expect(config.limits[.resolve] == GCRA(quota: 10, window: 3600))
        #expect(config.limits[.landings] == nil)
        #expect(config.limits[.accept] == GCRA(quota: 30, window: 60))
        #expect(try !RateLimitConfig("off").isOn)
        #expect(try RateLimitConfig("on").limits.count == RateLimit.allCases.count)
    }

    @Test(arguments: [
        "", "resolve", "resolve=", "reslove=1/m", "resolve=0/m", "resolve=-1/m", "resolve=1", "resolve=1/w",
        "resolve=1/m/m", "resolve=1e3/m", "sameCode=off", "resolve=1/m,", "resolve=2000000/s", "OFF",
        "resolve=99999999999999999999/d",
    ])
    func `an error names the mistake`(text: String) {
        #expect(throws: RateLimitConfig.Mistake.self) { try RateLimitConfig(text) }
    }

    @Test func `errors in both settings stop the start`() throws {
        let error = try #require(throws: ConfigError.self) {
            try Config(environment: [
                "KITH_RATE_LIMITS": "reslove=1/m", "KITH_TRUSTED_PROXIES": "10.0.0.0/8, 10.0.0.0/0,x",
            ])
        }
        #expect(error.mistakes.count == 3)
        #expect(error.description.contains("KITH_RATE_LIMITS: 'reslove=1/m'"))
        #expect(error.description.contains("KITH_TRUSTED_PROXIES: '10.0.0.0/0' would"))
        #expect(error.description.contains("KITH_TRUSTED_PROXIES: 'x' is not"))
    }
}
