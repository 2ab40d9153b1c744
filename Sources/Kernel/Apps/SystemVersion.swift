/// The version of a phone's system: `16.4`.
package struct SystemVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    package var major: Int
    package var minor: Int

    package init(_ major: Int, _ minor: Int = 0) {
        (self.major, self.minor) = (major, minor)
    }

    /// Reads `16` or `16.4`. Nil for any other text.
    package init?(_ text: String) {
        guard let parts = text.wholeMatch(of: /(\d{1,3})(?:\.(\d{1,3}))?/), let major = Int(parts.1) else {
            return nil
        }
        self.init(major, parts.2.flatMap { Int($0) } ?? 0)
    }

    package static func < (one: SystemVersion, other: SystemVersion) -> Bool {
        (one.major, one.minor) < (other.major, other.minor)
    }

    /// The version without a zero at its end, as people call systems.
    package var description: String { minor == 0 ? "\(major)" : "\(major).\(minor)" }
}
