public import Foundation

/// The outside world, as values that tests replace. The database is not among them.
public struct World: Sendable {
    public var now: @Sendable () -> Date
    /// Returns that many bytes of a cryptographically secure generator.
    public var randomBytes: @Sendable (Int) -> [UInt8]
    /// Outgoing HTTP.
    public var fetch: HTTPFetch
    /// The same for users' pictures: throws if it takes more than 2 seconds or 2 MiB.
    public var fetchPicture = HTTPFetch.live(timeout: .seconds(2), mostBytes: 2 << 20)
    /// The addresses of names, for what must not connect to just any.
    public var lookup = HostLookup.live
}

extension World {
    public static let live = World(
        now: { Date() },
        randomBytes: { count in
            // Eight bytes at a time: each is a system call.
            let words = (0..<(count + 7) / 8).map { _ in UInt64.random(in: .min ... .max) }
            return words.withUnsafeBytes { Array($0.prefix(count)) }
        },
        fetch: .live)
}
