import Foundation
import Kernel

/// What was published of an experiment.
struct ExperimentHistory {
    /// The changes that say how it was afterwards, or that it was removed, newest first.
    private(set) var steps: [Step] = []
    /// The definitions, the newest first. A change has one before it and one after it.
    private let definitions: [Experiment]

    struct Step {
        let published: PublishedChange
        /// Nil if it was removed.
        let after: Experiment?
    }

    init(_ key: String, _ changes: [PublishedChange]) {
        func read(_ fields: [String: String]?) -> Experiment? {
            fields.flatMap { fields in
                var reader = ExperimentReader(key, fields)
                return reader.experiment()
            }
        }
        steps = changes.map { Step(published: $0, after: read($0.change.after)) }
        definitions = zip(changes, steps).flatMap { change, step in
            [step.after, read(change.change.before)].compactMap(\.self)
        }
    }

    /// Returns the experiment by which a phase is judged: as it was at last, but no draft of another one that
    /// has the number, unless there is nothing else. Nil if there was no such phase.
    /// - Parameter applied: as it is now.
    func definition(of phase: Int?, applied: Experiment?) -> Experiment? {
        let all = [applied].compactMap(\.self) + definitions
        let phase = phase ?? all.first?.phase
        let fit = all.filter { $0.phase == phase }
        return fit.first { $0.state != .draft } ?? fit.first
    }
}
