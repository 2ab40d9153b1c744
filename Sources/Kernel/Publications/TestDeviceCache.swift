package import Foundation
import Synchronization

/// The test devices, in memory, and what is applied, as each of them sees it.
package final class TestDeviceCache: Sendable {
    private let store: TestDeviceStore
    private let applied: AppliedStore
    private let known = Mutex<[UUID: TestDevice]>([:])

    package init(store: TestDeviceStore, applied: AppliedStore) {
        (self.store, self.applied) = (store, applied)
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
        return device.rules(over: try await applied.read(Section.self)?.content ?? Section())
    }
}
