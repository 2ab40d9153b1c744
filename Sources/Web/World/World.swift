package import Foundation

/// The outside world, as values that tests replace. The database is not among them.
package struct World: Sendable {
    package var now: @Sendable () -> Date
    /// Returns that many bytes of a cryptographically secure generator.
    package var randomBytes: @Sendable (Int) -> [UInt8]
    /// Outgoing HTTP.
    package var fetch: HTTPFetch
    /// The same for users' pictures: throws if it takes more than 2 seconds or 2 MiB.
    package var fetchPicture = HTTPFetch.live(timeout: .seconds(2), mostBytes: 2 << 20)
    /// The addresses of names, for what must not connect to just any.
    package var lookup = HostLookup.live
}

extension World {
    package static let live = World(
        now: { Date() },
        randomBytes: { count in
            // Eight bytes at a time: each is a system call.
            let words = (0..<(count + 7) / 8).map { _ in UInt64.random(in: .min ... .max) }
            return words.withUnsafeBytes { Array($0.prefix(count)) }
        },
        fetch: .live)
}
