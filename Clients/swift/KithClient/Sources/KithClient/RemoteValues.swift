import Foundation

/// The texts that the operator set for this app, and the experiments that this installation is in.
public struct RemoteValues: Codable, Hashable, Sendable {
    /// Rises with each change; 0 if nothing was ever answered.
    public let revision: Int
    public let values: [String: String]
    public let experiments: [Assignment]

    /// The variation of a unit in an experiment.
    public struct Assignment: Codable, Hashable, Sendable {
        public let experiment: String
        public let phase: Int
        public let variation: String
        /// Proves it to the server.
        public let assignment: String
    }

    /// Nil: use what the app has built in.
    public subscript(name: String) -> String? { values[name] }

    /// Nil if the installation is not in the experiment.
    public func variation(of experiment: String) -> String? {
        experiments.first { $0.experiment == experiment }?.variation
    }

    static let none = RemoteValues(revision: 0, values: [:], experiments: [])
}

/// That a unit used its variation, as the server takes it.
struct Exposure: Codable, Hashable, Sendable {
    let unit, experiment: String
    let phase: Int
    let variation: String
    let assignment: String
}

/// What was used, until the server has it: each once, also after the app's end.
actor Exposures {
    private struct State: Codable {
        /// Oldest first.
        var waiting: [Exposure] = []
        var sent: [Exposure] = []
    }

    private static let key = "exposures"
    /// The server counts each once, however often it comes, so the oldest may be forgotten.
    private static let most = 500
    private let storage: any KithStorage
    private var state: State?
    private var sending: Task<Void, Never>?

    init(_ storage: any KithStorage) { self.storage = storage }

    private func read() -> State { state ?? storage.value(State.self, Self.key) ?? State() }

    private func write(_ state: State) {
        self.state = state
        // If it cannot be stored, it may be sent twice, which counts once.
        try? storage.store(state, Self.key)
    }

    /// Remembers one that is new.
    func add(_ exposure: Exposure) {
        var state = read()
        guard !state.sent.contains(exposure), !state.waiting.contains(exposure) else { return }
        state.waiting = (state.waiting + [exposure]).suffix(Self.most)
        write(state)
    }

    /// Sends what waits, one after the other, until one cannot be sent. Of calls at the same time, one sends
    /// for all.
    func flush(_ send: @escaping @Sendable (Exposure) async throws -> Void) async {
        while let sending { await sending.value }
        guard !read().waiting.isEmpty else { return }
        let task = Task {
            defer { sending = nil }
            while let next = read().waiting.first {
                do {
                    try await send(next)
                } catch let problem as KithProblem where problem.isFinal {
                    // The experiment is over or has changed: nobody wants it any more.
                } catch {
                    return
                }
                finish(next)
            }
        }
        sending = task
        await task.value
    }

    private func finish(_ exposure: Exposure) {
        var state = read()
        state.waiting.removeAll { $0 == exposure }
        if !state.sent.contains(exposure) { state.sent = (state.sent + [exposure]).suffix(Self.most) }
        write(state)
    }
}

extension KithProblem {
    /// Whether the same will be refused for ever.
    fileprivate var isFinal: Bool { [400, 403, 404, 409, 422].contains(status) }
}
