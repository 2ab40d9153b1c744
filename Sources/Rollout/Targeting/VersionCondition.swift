/// The versions that a policy is for.
struct VersionCondition: Hashable, Sendable {
    /// The bounds `lt`, `lte`, `gt` and `gte`. All that are given must hold.
    var below: VersionNumber?
    var upTo: VersionNumber?
    var above: VersionNumber?
    var from: VersionNumber?
    /// The versions, of which one must match. Empty means any.
    var among: [VersionNumber] = []

    /// Whether it holds for all, even for apps that do not say their version.
    var isEmpty: Bool { self == VersionCondition() }

    /// - Parameter version: the version. Nil if it is unknown, or cannot be read.
    func holds(for version: VersionNumber?) -> Bool {
        if isEmpty { return true }
        guard let version else { return false }
        return below.map { version < $0 } ?? true && upTo.map { version <= $0 } ?? true
            && above.map { version > $0 } ?? true && from.map { version >= $0 } ?? true
            && (among.isEmpty || among.contains(version))
    }

    /// Returns one version of each range on which all these conditions are constant, lowest first.
    static func corners(_ conditions: VersionCondition...) -> [VersionNumber] {
        let bounds = conditions.flatMap {
            [$0.below, $0.upTo, $0.above, $0.from].compactMap(\.self) + $0.among
        }
        return Set(bounds + bounds.map(\.successor) + [.zero]).sorted()
    }

    /// Whether it also holds for all versions below one for which it holds.
    var isDownward: Bool {
        let holds = Self.corners(self).map { self.holds(for: $0) }
        return holds == holds.sorted { $0 && !$1 }
    }

    /// Whether it holds for no version from some version on.
    var isBounded: Bool { Self.corners(self).last.map { !holds(for: $0) } ?? false }

    /// Whether it holds for no version that is not below this one.
    func isBelow(_ version: VersionNumber) -> Bool {
        Self.corners(self, VersionCondition(from: version)).allSatisfy { $0 < version || !holds(for: $0) }
    }

    /// Whether both hold for some version.
    func meets(_ other: VersionCondition) -> Bool {
        Self.corners(self, other).contains { holds(for: $0) && other.holds(for: $0) }
    }

    /// Whether it holds wherever the other does, even where the version is unknown.
    func covers(_ other: VersionCondition) -> Bool {
        isEmpty
            || !other.isEmpty
                && Self.corners(self, other).allSatisfy { holds(for: $0) || !other.holds(for: $0) }
    }

    /// Whether a version for which this one holds can be upgraded to one for which the other holds and this
    /// one does not.
    func allowsUpgrade(into other: VersionCondition) -> Bool {
        Self.corners(self, other).drop { !holds(for: $0) }
            .contains { !holds(for: $0) && other.holds(for: $0) }
    }
}
