public import Foundation

/// The world outside, as values: what a test replaces. The database is not among them.
public struct World: Sendable {
    public var now: @Sendable () -> Date
    /// So many bytes of a cryptographically secure generator.
    public var randomBytes: @Sendable (Int) -> [UInt8]
    /// HTTP out.
    public var fetch: HTTPFetch
}

extension World {
    public static let live = World(
        now: { Date() },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        },
        fetch: .live)
}
