@testable import Graph

/// A model of the table "Friends" in docs/rules.md for one pair, without limits. Tests compare the product
/// with it.
struct PairModel: Hashable {
    /// 0 and 1 are the two sides.
    var want = [false, false]
    var block = [false, false]
    /// This side sees the other's request.
    var heard = [false, false]
    /// This side declined, and does not see the other's requests. (The model has no time.)
    var quiet = [false, false]

    var areFriends: Bool { want[0] && want[1] && !block[0] && !block[1] }

    func view(_ side: Int) -> Relationship {
        if block[side] { return .blocked }
        if areFriends { return .friends }
        if want[side] { return .outgoing }
        return heard[side] ? .incoming : .none
    }

    /// Returns the answer to the one who acts; nil for a 409 `unblock_first`.
    mutating func apply(_ action: FriendAction, by me: Int) -> Relationship? {
        let other = 1 - me
        switch action {
        case .want:
            if block[me] { return nil }
            want[me] = true
            if areFriends {
                (heard, quiet) = ([false, false], [false, false])
            } else if !block[other] && !quiet[other] {
                heard[other] = true
            }
        case .unwant:
            if areFriends {
                want = [false, false]
            } else {
                if heard[me] { quiet[me] = true }
                want[me] = false
                heard = [false, false]
            }
        case .block:
            if areFriends { want[other] = false }
            want[me] = false
            block[me] = true
            heard = [false, false]
        case .unblock:
            block[me] = false
        }
        return view(me)
    }
}

/// One step of a history, and its answer.
struct Step: CustomStringConvertible {
    var action: FriendAction
    var answer: Relationship?

    var description: String { "\(action)→\(answer.map { "\($0)" } ?? "409")" }
}

extension PairModel {
    /// Whether some serial order of the two sides' steps explains every answer and the final views.
    static func explains(_ steps: [[Step]], endingIn views: [Relationship]) -> Bool {
        func search(_ model: PairModel, _ done: [Int]) -> Bool {
            if done == steps.map(\.count) { return [model.view(0), model.view(1)] == views }
            return [0, 1].contains { side in
                guard done[side] < steps[side].count else { return false }
                var (next, done) = (model, done)
                let step = steps[side][done[side]]
                guard next.apply(step.action, by: side) == step.answer else { return false }
                done[side] += 1
                return search(next, done)
            }
        }
        return search(PairModel(), [0, 0])
    }
}
