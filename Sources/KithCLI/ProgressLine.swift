import Foundation
import Kith
import Synchronization
import Web

/// Shows progress on standard error. On a terminal it is one line that is overwritten, and otherwise a line
/// every five seconds and at each new phase.
final class ProgressLine: Sendable {
    private struct State {
        var text: String?
        var phase: String?
        var began = ContinuousClock.now
        var shownAt = ContinuousClock.now
        var isOver = false
    }

    private let isTerminal = isatty(STDERR_FILENO) == 1
    private let state = Mutex(State())

    init() {
        Task { [weak self] in
            while let self, self.refresh() { try? await Task.sleep(for: .milliseconds(250)) }
        }
    }

    /// - Parameter phase: the step that the text describes. The seconds at the end of the line count from its
    ///   start.
    func show(_ text: String, phase: String? = nil) {
        let isNew = state.withLock { state in
            state.text = text
            guard let phase, phase != state.phase else { return false }
            (state.phase, state.began) = (phase, .now)
            return true
        }
        if isNew { refresh(isNew: true) }
    }

    func end() {
        state.withLock { $0.isOver = true }
        clear()
    }

    /// Makes room on a terminal for other output.
    func clear() {
        if isTerminal { write("\r\u{1B}[K") }
    }

    /// Writes the line if it is due. False once progress has ended.
    @discardableResult
    private func refresh(isNew: Bool = false) -> Bool {
        let (line, isOver) = state.withLock { state -> (String?, Bool) in
            guard !state.isOver else { return (nil, true) }
            let interval: Duration = isTerminal ? .milliseconds(200) : .seconds(5)
            guard let text = state.text, isNew || state.shownAt.duration(to: .now) >= interval else {
                return (nil, false)
            }
            state.shownAt = .now
            return ("\(text.visible), \(state.began.duration(to: .now).components.seconds) s", false)
        }
        if let line { write(isTerminal ? "\r\u{1B}[K\(line)" : "\(line)\n") }
        return !isOver
    }

    private func write(_ text: String) {
        LogOutput.standardError.write(text)
    }
}
