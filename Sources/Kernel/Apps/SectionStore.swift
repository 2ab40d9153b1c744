package import Foundation
package import Postgres

/// Reads what is applied of a section, and says what makes a file true in it.
package protocol SectionStore: Sendable {
    associatedtype Section: AppliedSection

    init(db: Database)

    func applied() async throws -> Section

    /// What makes the file true in this section.
    /// - Parameters:
    ///   - file: may lack the section, but have another with which this one must agree.
    ///   - app: the app of the settings.
    ///   - zone: whose days are counted.
    func plan(
        for file: AppliedSections, beside app: AppConfig, in zone: TimeZone
    ) async throws -> SectionPlan
}

/// What `kith apply` does about a section.
package struct SectionPlan: Sendable {
    /// Why it cannot be done, in the words of the file. If there are any, nothing is done.
    package var mistakes: [String] = []
    /// What must be forced, by the item.
    package var dangers: [ItemName: String] = [:]
    /// The items that become different.
    package var items: [ItemChange] = []
    /// What it would do, in sentences.
    package var effects: [String] = []
    /// What apps would be answered, if that is counted.
    package var answers: AnsweredCalls?
    /// What becomes different, a line a field.
    package var lines: [String] = []
    /// What is written, or keeps the file from being written, in this order.
    package var changes: [AppliedStore.Change] = []

    package init() {}

    /// - Parameter found: what is applied.
    package init<Section: AppliedSection>(
        from found: Section, to wanted: Section, _ change: () throws -> AppliedStore.Change
    ) rethrows {
        mistakes = wanted.mistakes(over: found) + [wanted.sizeMistake(over: found)].compactMap(\.self)
        items = AppliedSections([found.completed]).changes(to: AppliedSections([wanted.completed]))
        for (key, danger) in wanted.dangers(over: found) { dangers[ItemName(Section.name, key)] = danger }
        lines = found.changes(to: wanted)
        if !lines.isEmpty { changes = [try change()] }
    }
}

extension SectionPlan {
    /// The dangers of items that are not forced, in one order.
    package func dangers(without forced: Set<ItemName>) -> [(item: ItemName, danger: String)] {
        dangers.filter { !forced.contains($0.key) }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    package static func += (plan: inout SectionPlan, other: SectionPlan) {
        plan.mistakes += other.mistakes
        plan.dangers.merge(other.dangers) { $1 }
        plan.items += other.items
        // Sections that know nothing say it in the same words.
        plan.effects += other.effects.filter { !plan.effects.contains($0) }
        plan.answers = plan.answers ?? other.answers
        plan.lines += other.lines
        plan.changes += other.changes
    }
}

/// A section that stands in `applied_files`.
package struct AppliedFileStore<Section: AppliedSection>: SectionStore {
    private let store: AppliedStore

    package init(db: Database) {
        store = AppliedStore(db: db)
    }

    package func applied() async throws -> Section { try await read().content }

    /// Returns what is applied, with its version.
    package func read() async throws -> AppliedStore.Applied<Section> {
        try await store.read(Section.self) ?? .init()
    }

    package func plan(
        for file: AppliedSections, beside app: AppConfig, in zone: TimeZone
    ) async throws -> SectionPlan {
        try Self.plan(for: file, over: try await read())
    }

    /// Returns what makes the file true in place of what was read.
    package static func plan(for file: AppliedSections, over found: AppliedStore.Applied<Section>) throws
        -> SectionPlan
    {
        guard let wanted = file[Section.self] else { return SectionPlan() }
        return try SectionPlan(from: found.content, to: wanted) {
            try AppliedStore.Change(wanted, over: found.version)
        }
    }
}
