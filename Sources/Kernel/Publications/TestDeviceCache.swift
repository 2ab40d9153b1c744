package import Foundation
import Synchronization

/// The test devices, in memory, and what is applied, as each of them sees it.
package final class TestDeviceCache: Sendable {
    private let store: TestDeviceStore
    private let applied: AppliedStore
    private let sections: [any AppliedSection.Type]
    private let known = Mutex<[UUID: TestDevice]>([:])

    /// - Parameter sections: those that a draft may change.
    package init(
        store: TestDeviceStore, applied: AppliedStore, sections: [any AppliedSection.Type]
    ) {
        (self.store, self.applied, self.sections) = (store, applied, sections)
    }

    package subscript(unit: UUID) -> TestDevice? { known.withLock { $0[unit] } }

    /// Whether there are none, so that nobody need hash a unit.
    package var isEmpty: Bool { known.withLock(\.isEmpty) }

    /// Reads which there are now. Throws if they cannot be read, and keeps what was read before.
    package func follow() async throws {
        let found = try await store.list()
        known.withLock { $0 = Dictionary(uniqueKeysWithValues: found.map { ($0.unit, $0) }) }
    }

    /// Returns the rules of a section as the device sees them. Nil if they are those that are applied: its
    /// draft does not change the section, or does not fit any more.
    package func rules<Section: RuledSection>(_: Section.Type, for device: TestDevice) async throws
        -> Section.Rules?
    {
        guard device.changes(Section.self) else { return nil }
        // All of the draft or nothing: no publication could make half of it.
        for case let other as any RuledSection.Type in sections where device.changes(other) {
            guard try await fits(other, device) else { return nil }
        }
        return try await seen(Section.self, device).read().rules
    }

    private func fits(_ section: (some RuledSection).Type, _ device: TestDevice) async throws -> Bool {
        try await seen(section, device).read().mistakes.isEmpty
    }

    private func seen<Section: RuledSection>(_: Section.Type, _ device: TestDevice) async throws -> Section {
        var section = try await applied.read(Section.self)?.content ?? Section()
        for (item, fields) in device.changes where item.section == Section.name {
            section.items[item.key] = fields
        }
        return section
    }
}
