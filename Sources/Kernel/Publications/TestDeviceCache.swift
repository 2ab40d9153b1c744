package import Foundation
import Synchronization

/// The test devices, and what is applied as each of them sees it, in memory: a call of a device reads no
/// table, as that of any other.
package final class TestDeviceCache: Sendable {
    private let devices: TestDeviceStore
    private let drafts: ConfigDraftStore
    private let applied: AppliedStore
    private let sections: [any RuledSection.Type]
    private let known = Mutex(Known())

    private struct Known {
        var devices: [UUID: TestDevice] = [:]
        /// The units that are users.
        var users: Set<UUID> = []
        /// The drafts that devices see.
        var drafts: [String: ConfigDraft] = [:]
        /// What is applied of the sections that drafts may change. Empty if no device sees one.
        var applied: [String: (version: Int64, section: any RuledSection)] = [:]
        /// The rules of the sections that a draft changes, by the names of both.
        var rules: [String: [String: any Sendable]] = [:]
    }

    /// - Parameter sections: those that a draft may change.
    package init(
        devices: TestDeviceStore, drafts: ConfigDraftStore, applied: AppliedStore,
        sections: [any AppliedSection.Type]
    ) {
        (self.devices, self.drafts, self.applied) = (devices, drafts, applied)
        self.sections = sections.compactMap { $0 as? any RuledSection.Type }
    }

    /// Whether there are none, so that nobody need hash a unit.
    package var isEmpty: Bool { known.withLock(\.devices.isEmpty) }

    package func contains(_ unit: UUID) -> Bool { known.withLock { $0.devices[unit] != nil } }

    /// Returns the device that a unit is. Nil if it is none, or if an app asks for a user without their
    /// token: everybody has the app's key, and uids are public, but drafts are not.
    package func device(_ unit: UUID, isOfApp: Bool) -> TestDevice? {
        known.withLock { isOfApp && $0.users.contains(unit) ? nil : $0.devices[unit] }
    }

    /// Returns the rules of a section as the device sees them. Nil if they are those that are applied: its
    /// draft does not change the section, or does not fit any more.
    package func rules<Section: RuledSection>(_: Section.Type, for device: TestDevice) -> Section.Rules? {
        guard let draft = device.draft else { return nil }
        return known.withLock { $0.rules[draft]?[Section.name] as? Section.Rules }
    }

    /// Reads which devices there are now, and what they see. Throws if it cannot be read, and keeps what was
    /// read before.
    package func follow() async throws {
        let devices = try await devices.list()
        let users = try await users(among: devices)
        let before = known.withLock { $0 }
        var now = Known(
            devices: Dictionary(uniqueKeysWithValues: devices.map { ($0.unit, $0) }), users: users)
        let versions = Dictionary(
            devices.compactMap { device in device.draft.map { ($0, device.draftVersion) } }
        ) { first, _ in first }
        let changed = versions.filter { before.drafts[$0.key]?.version != $0.value }
        now.drafts = before.drafts.filter { versions[$0.key] == $0.value.version }
        for draft in try await drafts.drafts(Array(changed.keys)) { now.drafts[draft.name] = draft }
        var isSame = changed.isEmpty
        if !versions.isEmpty {
            now.applied = before.applied
            for section in sections where try await read(section, &now) { isSame = false }
        }
        now.rules =
            isSame
            ? before.rules.filter { versions[$0.key] != nil } : now.drafts.mapValues { Self.rules($0, now) }
        known.withLock { [now] in $0 = now }
    }

    private func users(among devices: [TestDevice]) async throws -> Set<UUID> {
        try await self.devices.users(among: devices.map(\.unit))
    }

    /// Reads a section if it changed. Returns whether it did.
    private func read<Section: RuledSection>(_: Section.Type, _ known: inout Known) async throws -> Bool {
        let version = known.applied[Section.name]?.version
        guard let found = try await applied.read(Section.self, except: version ?? 0) else {
            if version == nil { known.applied[Section.name] = (0, Section()) }
            return version == nil
        }
        known.applied[Section.name] = (found.version, found.content)
        return true
    }

    /// Returns the rules of the sections that a draft changes. None if it does not fit: a device sees all of
    /// it or nothing, since no publication could make half of it.
    private static func rules(_ draft: ConfigDraft, _ known: Known) -> [String: any Sendable] {
        var all: [String: any Sendable] = [:]
        for (name, changes) in Dictionary(grouping: draft.items, by: \.section) {
            guard let section = known.applied[name]?.section else { continue }
            guard let rules = rules(section, changes) else { return [:] }
            all[name] = rules
        }
        return all
    }

    private static func rules(_ section: some RuledSection, _ changes: [ItemChange]) -> (any Sendable)? {
        var section = section
        for change in changes { section.items[change.key] = change.after }
        let (rules, mistakes) = section.read()
        return mistakes.isEmpty ? rules : nil
    }
}
