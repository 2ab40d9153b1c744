package import Foundation

/// The outside world, as values that tests replace. The database is not among them.
package struct World: Sendable {
    package var now: @Sendable () -> Date
    /// Returns that many bytes of a cryptographically secure generator.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Outgoing HTTP requests.
    package var fetch: HTTPFetch
    /// The requests for users' pictures. They throw if one takes more than 2 seconds or 2 MiB.
    package var fetchPicture = HTTPFetch.live(timeout: .seconds(2), mostBytes: 2 << 20)
    /// The requests that redeem codes of people who sign in with a provider.
    package var post = HTTPPost.live
    /// The look-up of names, for requests that must not connect to just any address.
    package var lookup = HostLookup.live
}

extension World {
    package static let live = World(
        now: { Date() },
        randomBytes: { count in
            // Random numbers are drawn eight bytes at a time, since each draw is a system call.
            let words = (0..<(count + 7) / 8).map { _ in UInt64.random(in: .min ... .max) }
            return words.withUnsafeBytes { Array($0.prefix(count)) }
        },
        fetch: .live)
}
