import Counts
import Foundation
package import Kernel
package import Postgres

/// Publishes changes of what operators set, and knows all states that there were.
package struct Publisher: Sendable {
    private let db: Database
    let config: Config

    package init(db: Database, config: Config) {
        self.db = db
        self.config = config
    }

    package var history: PublicationStore { PublicationStore(db: db) }

    /// What is set.
    package struct State: Sendable {
        /// The number of the publication that made it. 0 before the first.
        package var revision: Int64
        package var sections: AppliedSections
    }

    /// Returns the state now.
    package func state() async throws -> State {
        // If somebody publishes between these reads, the revision is too old, and publishing over it fails.
        var state = State(revision: try await history.revision(), sections: AppliedSections())
        do {
            for store in App.sections { state.sections.add(try await applied(store.init(db: db))) }
        } catch let error as DecodingError {
            throw AppliedError.unreadable(["\(error)"])
        }
        return state
    }

    private func applied(_ store: some SectionStore) async throws -> any AppliedSection {
        try await store.applied()
    }

    /// Returns the state as of a revision. Nil if there is no such revision yet.
    package func state(at revision: Int64) async throws -> State? {
        var state = try await state()
        guard (0...state.revision).contains(revision) else { return nil }
        let former = try await history.former(after: revision)
        state.sections.replace(former)
        state.revision = revision
        return state
    }

    /// What a change would do.
    package struct Plan: Sendable {
        package var revision: Int64
        package var section: SectionPlan
    }

    /// Returns what makes the sections true.
    /// - Parameter sections: whole ones. A section that is missing stays as it is.
    package func plan(_ sections: AppliedSections, over revision: Int64) async throws -> Plan {
        var plan = SectionPlan()
        for store in App.sections {
            plan += try await store.init(db: db).plan(
                for: sections, beside: config.app, in: config.counts.zone)
        }
        return Plan(revision: revision, section: plan)
    }

    /// Returns what makes these items so. A mistake that they then have is one of the plan.
    func plan(_ items: [ItemName: [String: String]?], over state: State) async throws -> Plan {
        var sections = AppliedSections()
        for section in state.sections.all
        where items.keys.contains(where: { $0.section == type(of: section).name }) {
            sections.add(section)
        }
        sections.replace(items)
        var plan = try await plan(sections, over: state.revision)
        plan.section.mistakes = sections.mistakes(over: config) + plan.section.mistakes
        return plan
    }

    /// Returns what undoes a publication. Throws `ChangedLater` if items are neither as it made them nor as
    /// they were before: later ones would be undone with it, unless these items are forced.
    package func reverting(_ publication: Publication, forced: Set<ItemName>) async throws -> Plan {
        let state = try await state()
        let items = publication.content.items
        let changed = items.overtaken(by: state.sections).subtracting(forced)
        if !changed.isEmpty,
            let later = try await history.list(
                after: publication.number, of: changed.sorted(), limit: 1
            ).first
        {
            let names = later.names.filter(changed.contains)
            throw ChangedLater(revision: state.revision, number: later.number, items: names)
        }
        return try await plan(
            Dictionary(uniqueKeysWithValues: items.map { ($0.name, $0.before) }), over: state)
    }

    /// Why a publication is not undone.
    package struct ChangedLater: Error {
        /// The revision of the state now.
        let revision: Int64
        /// The newest publication that changed one of the items.
        package let number: Int64
        package let items: [ItemName]
    }

    /// Returns what goes back to a revision. Nil if there is no such revision yet.
    /// - Parameter only: the sections or items that go back. Nil for all.
    package func restoring(_ revision: Int64, only: Set<String>? = nil) async throws -> Plan? {
        guard let former = try await self.state(at: revision) else { return nil }
        let state = try await state()
        let (before, now) = (former.sections.items, state.sections.items)
        var items: [ItemName: [String: String]?] = [:]
        for name in Set(before.keys).union(now.keys) where before[name] != now[name] {
            guard only.map({ $0.contains(name.section) || $0.contains(name.text) }) ?? true else { continue }
            items.updateValue(before[name], forKey: name)
        }
        var plan = try await plan(items, over: state)
        for name in (only ?? []).sorted().compactMap(ItemName.init)
        where before[name] == nil && now[name] == nil {
            plan.section.mistakes.append("\(name.text): is neither now nor in revision \(revision)")
        }
        return plan
    }

    /// Publishes a plan. Returns the number of the publication. Nil if somebody published meanwhile, or
    /// changed what the plan changes; then nothing is changed.
    /// - Parameter more: what is done with it or not at all.
    package func publish(
        _ plan: Plan, by actor: AuditActor, from source: Publication.Source, _ reason: OperatorReason?,
        with more: [Statement] = []
    ) async throws -> Int64? {
        let content = Publication.Content(
            actor: actor, source: source, reason: reason, items: plan.section.items,
            effects: plan.section.effects)
        let isDone = try await AppliedStore(db: db).write(
            plan.section.changes, publication: PublicationStore.write(content, over: plan.revision) + more)
        return isDone ? plan.revision + 1 : nil
    }
}
