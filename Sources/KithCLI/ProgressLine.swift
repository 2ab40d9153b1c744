import Foundation
import Kith
import Synchronization

/// How far an import is, on standard error: one line written over on a terminal, else one in five seconds.
final class ProgressLine: Sendable {
    private struct State {
        var latest: ImportProgress?
        var phaseBegan = ContinuousClock.now
        var shownAt: ContinuousClock.Instant?
        var isOver = false
    }

    private let name: String
    private let size: Int?
    private let isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1
    private let state = Mutex(State())

    /// - Parameter size: of the file, where it is known.
    init(_ name: String, size: Int?) {
        self.name = name
        self.size = size
        Task { [weak self] in
            while let self, self.refresh() { try? await Task.sleep(for: .milliseconds(250)) }
        }
    }

    func show(_ progress: ImportProgress) {
        let isNew = state.withLock { state in
            defer { state.latest = progress }
            guard case .working(let phase, _) = progress else { return false }
            if case .working(phase, _) = state.latest { return false }
            state.phaseBegan = .now
            return true
        }
        if isNew { refresh(isNew: true) }
    }

    func end() {
        let wasShown = state.withLock { state in
            state.isOver = true
            return state.shownAt != nil
        }
        if isTerminal, wasShown { write("\n") }
    }

    /// False when the import is over.
    @discardableResult
    private func refresh(isNew: Bool = false) -> Bool {
        let (text, isOver) = state.withLock { state -> (String?, Bool) in
            guard !state.isOver else { return (nil, true) }
            let interval: Duration = isTerminal ? .milliseconds(200) : .seconds(5)
            let isDue = state.shownAt.map { $0.duration(to: .now) >= interval } ?? isTerminal
            guard let latest = state.latest, isNew || isDue else {
                state.shownAt = state.shownAt ?? .now
                return (nil, false)
            }
            state.shownAt = .now
            return (describe(latest, since: state.phaseBegan), false)
        }
        if let text { write(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n") }
        return !isOver
    }

    private func describe(_ progress: ImportProgress, since began: ContinuousClock.Instant) -> String {
        let seconds = began.duration(to: .now).components.seconds
        switch progress {
        case .reading(let bytes):
            let share = size.map { $0 > 0 ? " of \($0 >> 20) MiB (\(bytes * 100 / $0) %)" : "" } ?? " MiB"
            return "\(name): reading, \(bytes >> 20)\(share)"
        case .working(let phase, let rows):
            return "\(name): \(phase), \(rows) rows, \(seconds) s"
        }
    }

    private func write(_ text: String) {
        FileHandle.standardError.write(Data(text.utf8))
    }
}
