import Synchronization

/// A section of the file whose rules calls evaluate.
package protocol RuledSection: AppliedSection {
    associatedtype Rules: Sendable

    /// Returns the rules, and what is wrong with them, in the words of the file.
    func read() -> (rules: Rules, mistakes: [String])

    /// What is wrong with a file, in its words. It may be more than servers refuse.
    var mistakes: [String] { get }
}

package extension RuledSection {
    var mistakes: [String] { read().mistakes }
}

/// The applied content of a section, in memory, so that a call evaluates it without a query.
package final class AppliedCache<Section: RuledSection>: Sendable {
    package struct Applied: Sendable {
        package var rules = Section().read().rules
        /// How often the section changed.
        package var version: Int64 = 0
    }

    private let store: AppliedStore
    private let known = Mutex<Applied?>(nil)

    package init(store: AppliedStore) {
        self.store = store
    }

    /// What was read last. Nil if nothing was read yet.
    package var latest: Applied? { known.withLock { $0 } }

    /// Returns what was read last. Reads it first if nothing was read yet.
    package func current() async throws -> Applied {
        if let latest { return latest }
        try await follow()
        return known.withLock { $0 } ?? Applied()
    }

    /// Reads what is applied now. Throws if it cannot be read, and keeps what was read before.
    package func follow() async throws {
        let before = known.withLock { $0 }
        let found: AppliedStore.Applied<Section>?
        do {
            found = try await store.read(Section.self, except: before?.version ?? 0)
        } catch let error as DecodingError {
            throw AppliedError.unreadable(["\(error)"])
        }
        guard let applied = found else { return known.withLock { $0 = before ?? Applied() } }
        let (rules, mistakes) = applied.content.read()
        guard mistakes.isEmpty else { throw AppliedError.unreadable(mistakes) }
        known.withLock { $0 = Applied(rules: rules, version: applied.version) }
    }
}
