/// The version of a phone's system: `16.4`.
public struct SystemVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var major: Int
    public var minor: Int

    public init(_ major: Int, _ minor: Int = 0) {
        (self.major, self.minor) = (major, minor)
    }

    /// As in `16` or `16.4`; nil for all else.
    public init?(_ text: String) {
        guard let parts = text.wholeMatch(of: /(\d{1,3})(?:\.(\d{1,3}))?/), let major = Int(parts.1) else {
            return nil
        }
        self.init(major, parts.2.flatMap { Int($0) } ?? 0)
    }

    public static func < (one: SystemVersion, other: SystemVersion) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    /// Without a zero at its end, as systems are called.
    public var description: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }
}
