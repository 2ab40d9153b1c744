import Web

/// Adds what sources have to the sums of their days. Several servers may do so at once: what one of them
/// counts, the others leave out.
package struct Counting: Sendable {
    let store: CountStore
    let sources: [any CountSource]

    package init(_ store: CountStore, _ sources: [any CountSource]) {
        (self.store, self.sources) = (store, sources)
    }

    /// Counts all that there is, a part of each source in turn, so that none waits for all of another. What
    /// another server counts, or a deletion changes meanwhile, waits for the next time. If a source cannot be
    /// counted, the others are, and then this throws.
    package func countAll() async throws {
        var (waiting, failed) = (sources, UncountedSource?.none)
        while !waiting.isEmpty, !Task.isCancelled {
            var full: [any CountSource] = []
            for source in waiting {
                do {
                    if try await countPart(of: source) { full.append(source) }
                } catch {
                    failed = failed ?? UncountedSource(name: type(of: source).name, reason: error.reason)
                }
            }
            waiting = full
        }
        if let failed { throw failed }
    }

    /// Returns for how many seconds the oldest waits of what nobody has counted, whichever server counts.
    package func lag() async throws -> Double {
        var lag = 0.0
        for source in sources {
            let position = try await store.position(of: type(of: source).name)
            lag = max(lag, try await source.lag(after: position) ?? 0)
        }
        return lag
    }

    /// Returns whether more of the source waits behind the part.
    private func countPart(of source: some CountSource) async throws -> Bool {
        let name = type(of: source).name
        let position = try await store.position(of: name)
        guard let part = try await source.next(after: position),
            try await store.add(part, of: name, from: position)
        else { return false }
        source.didCount()
        return part.isFull
    }
}

/// The error that a source could not be counted.
struct UncountedSource: Error, CustomStringConvertible {
    let name: String
    let reason: String

    var description: String { "\(name): \(reason)" }
}
