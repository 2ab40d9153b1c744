/// Adds what sources have to the sums of their days. Several servers may do so at once: what one of them
/// counts, the others leave out.
package struct Counting: Sendable {
    let store: CountStore
    let sources: [any CountSource]

    package init(_ store: CountStore, _ sources: [any CountSource]) {
        (self.store, self.sources) = (store, sources)
    }

    /// Counts all that there is. Ends early if another server counts at the same time.
    package func countAll() async throws {
        for source in sources { try await count(source) }
    }

    private func count(_ source: some CountSource) async throws {
        let name = type(of: source).name
        var isFull = true
        while isFull, !Task.isCancelled {
            let position = try await store.position(of: name)
            guard let part = try await source.next(after: position),
                try await store.add(part, of: name, from: position)
            else { return }
            source.didCount()
            isFull = part.isFull
        }
    }
}
