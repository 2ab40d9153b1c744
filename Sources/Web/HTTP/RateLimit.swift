/// All limits, and what each one counts. The names are those of `KITH_RATE_LIMITS` and of the headers. The
/// numbers are in `Kernel/RateLimits/RateLimit+Standard.swift`.
package enum RateLimit: UInt8, CaseIterable, Sendable {
    // These count calls from one address. Twenty thousand people may share one address of a carrier. If they
    // all open a link within ten minutes, with a peak of five times the average, they make about 200 requests
    // a second. So no limit on what people do in such numbers may be below that.
    case landings, pictures, api, newcomers, unauthenticated, client
    /// Taps on a store's button that leave an invite, and texts with which apps claim one. Beyond the limit a
    /// tap still leads to the store but leaves no invite, and a claim is refused.
    case installs
    /// Visits that an experiment counts. Visitors beyond the limit take part in no experiment, so that one
    /// address cannot pretend to be a crowd.
    case visitors
    /// Short links made by apps, whose key everybody has.
    case links
    /// Codes that lead nowhere. Codes have 80 bits, so guesses are hopeless, but each costs a look-up. A dead
    /// link counts once a minute, however many people open it: see `CodeGuesses`.
    case codes
    /// Attempts to sign in at the console.
    case signins
    // These count calls of one user.
    case resolve, accept, usernames, signup, calls
    /// Calls with one key that is not a client key.
    case keys
    /// This is not a limit. `CodeGuesses` uses it to count a code once.
    case sameCode

    package var name: String { "\(self)" }

    /// The limits that an operator may set.
    package static let settable = allCases.filter { $0 != .sameCode }
}
