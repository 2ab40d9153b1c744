import HTTPTypes
import Synchronization

/// Limits how many large bodies the process receives at once: a client may take half a minute to send the
/// rest of one.
final class LargeBodies: Sendable {
    static let all = LargeBodies(limit: 512)
    /// Of what operators send: together at most 64 MiB. Those that would fit in any call need no room.
    static let ofOperators = LargeBodies(limit: 16, from: BodyLimit.usual.bytes)

    /// The number of received bytes from which a body counts as large. What people do needs less, and is
    /// never refused.
    let from: Int

    private let limit: Int
    private let taken = Atomic(0)

    init(limit: Int, from: Int = 4 * 1024) {
        (self.limit, self.from) = (limit, from)
    }

    var count: Int { taken.load(ordering: .relaxed) }

    /// Takes a place if there is one. Then `giveBack` must follow.
    func take() -> Bool {
        guard taken.add(1, ordering: .relaxed).newValue > limit else { return true }
        giveBack()
        return false
    }

    func giveBack() {
        taken.subtract(1, ordering: .relaxed)
    }
}

extension Problem {
    static let tooManyBodies = Problem(
        .serviceUnavailable, "too_many_bodies", "Too many large bodies are on their way here. Try again.",
        retryAfter: 1)
}
