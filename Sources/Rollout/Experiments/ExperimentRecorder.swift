package import Kernel

/// What pages and visitors' apps need for experiments: what is applied, and where exposures and conversions
/// are written, in groups.
package struct ExperimentRecorder: Sendable {
    package let caches: RemoteValueCaches
    let store: ExperimentStore
    private let exposures: WriteQueue<[Exposure]>
    private let conversions: WriteQueue<Conversion>
    /// Tells operators that a record was lost, and why.
    private let report: @Sendable (any Error) -> Void
    /// Tells operators that a visit is left out.
    private let leftOut: @Sendable () -> Void

    package init(
        _ store: ExperimentStore, _ applied: AppliedStore, report: @escaping @Sendable (any Error) -> Void,
        leftOut: @escaping @Sendable () -> Void
    ) {
        (self.store, self.report, self.leftOut) = (store, report, leftOut)
        caches = RemoteValueCaches(applied)
        // Visits that are left out share the count of their experiment.
        exposures = WriteQueue(key: { $0.map { $0.isLeftOut ? nil : $0.unit } }) {
            try await store.expose($0.flatMap(\.self))
        }
        conversions = WriteQueue(key: { $0.unit }) { try await store.add($0) }
    }

    /// What is applied for pages. Nil if no page differs from one visitor to another. It never waits for the
    /// database.
    package var ofPages: RemoteValueCaches.All? { caches.latest.flatMap { $0.changesPages ? $0 : nil } }

    /// Adds exposures and returns once they are committed. Throws if they cannot be.
    func expose(_ exposures: [Exposure]) async throws {
        if !exposures.isEmpty { try await self.exposures.add(exposures) }
    }

    /// Adds a conversion and returns once it is committed. Throws if it cannot be.
    func add(_ conversion: Conversion) async throws { try await conversions.add(conversion) }

    /// Adds exposures of a visitor, to whom the answer is worth more than the count, so it does not throw.
    package func note(_ exposures: [Exposure]) async {
        if exposures.contains(where: \.isLeftOut) { leftOut() }
        do { try await expose(exposures) } catch { report(error) }
    }

    package func note(_ conversion: Conversion) async {
        do { try await add(conversion) } catch { report(error) }
    }
}
