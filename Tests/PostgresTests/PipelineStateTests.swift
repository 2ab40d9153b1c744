import Foundation
import Testing

@testable import Postgres

/// The protocol's rules, tested with scripts of answers, without a server.
@Suite struct PipelineStateTests {
    typealias Answer = PipelineState.Answer
    typealias Action = PipelineState.Action
    typealias Member = PipelineState.Member

    let ok = Answer.done(tag: "")
    let failed = Answer.failed(isStalePlan: false)
    let idle = Answer.synced(.idle)

    func feed(_ state: inout PipelineState, _ answers: [Answer]) -> [Action] {
        var actions: [Action] = []
        for answer in answers { state.receive(answer, &actions) }
        return actions
    }

    func read(_ sql: String) -> Member { Member(.read, [Statement(text: sql)]) }
    func single(_ sql: String) -> Member { Member(.single, [Statement(text: sql)]) }
    func batch(_ sql: String...) -> Member { Member(.batch, sql.map(Statement.init(text:))) }

    /// A state with all plans prepared, so that scripts need not answer each Parse.
    func prepared(_ sql: String..., keepsTransaction: Bool = false) -> PipelineState {
        var state = PipelineState(keepsTransaction: keepsTransaction)
        _ = state.open(sql.map(read))
        _ = feed(&state, sql.flatMap { _ in [ok, ok] } + [idle])
        return state
    }

    func begin(_ cancelling: inout PipelineState) -> Bool { cancelling.beginCancel { $0 == 0 } }

    /// Opens a group and returns its steps in words.
    func open(_ state: inout PipelineState, _ group: [Member], isolated: Bool = false) -> String {
        words(state.open(group, isolated: isolated))
    }

    func words(_ steps: [PipelineState.Step]) -> String {
        steps.map { step in
            switch step {
            case .prepare(let name, let member, _): "parse \(name) for \(member)"
            case .run(let name, let member, _): "\(name ?? "text") for \(member)"
            case .begin: "BEGIN"
            case .commit: "COMMIT"
            case .script: "script"
            case .service(let statement, _): statement.sql
            case .sync: "Sync"
            }
        }.joined(separator: ", ")
    }

    @Test func `behind a pooler settings go first in each transaction, and nothing is prepared`() {
        var state = PipelineState(pooler: .transaction, preface: "set")
        #expect(open(&state, [read("a"), read("b")]) == "set, text for 0, text for 1, Sync")
        #expect(feed(&state, [ok, ok, ok, idle]) == [.deliver(0), .deliver(1)])
        let nine = (0..<9).map { _ in read("a") }
        #expect(open(&state, nine).components(separatedBy: "set").count == 3, "one for each Sync")
        _ = feed(&state, [ok] + nine.dropLast().map { _ in ok } + [idle, ok, ok, idle])
        #expect(
            open(&state, [batch("a", "b")]) == "BEGIN, set, text for 0, text for 0, COMMIT, Sync")
        #expect(feed(&state, [ok, ok, ok, failed]) == [.keep(0), .refuse(0, index: 1)])
        #expect(feed(&state, [.skipped, .synced(.failed)]) == [])
        #expect(open(&state, [single("a")]) == "ROLLBACK, Sync, set, text for 0, Sync")
    }

    @Test func `a pooler that keeps prepared statements gets them, but no DEALLOCATE`() {
        var state = PipelineState(pooler: .prepared, preface: "set")
        #expect(open(&state, [read("a")]) == "set, parse k1 for 0, k1 for 0, Sync")
        _ = feed(&state, [ok, ok, .failed(isStalePlan: true), idle])
        #expect(open(&state, [read("b")]) == "set, parse k2 for 0, k2 for 0, Sync")
    }

    @Test func `reads share one Sync, and each is answered by its own result`() {
        var state = PipelineState()
        #expect(
            open(&state, [read("a"), read("b"), read("a")])
                == "parse k1 for 0, k1 for 0, parse k2 for 1, k2 for 1, k1 for 2, Sync")
        #expect(!state.canSend)
        #expect(feed(&state, [ok, ok]) == [.deliver(0)])
        #expect(feed(&state, [ok, ok, ok, idle]) == [.deliver(1), .deliver(2)])
        #expect(state.canSend && !state.needsRollback)
        #expect(open(&state, [read("b")]) == "k2 for 0, Sync")
    }

    @Test func `reads sent together are answered after the last one, and run again together`() {
        var state = prepared("a", "b")
        let both = Member(.read, [Statement(text: "a"), Statement(text: "b")])
        #expect(open(&state, [both, read("a")]) == "k1 for 0, k2 for 0, k1 for 1, Sync")
        #expect(feed(&state, [ok]) == [.keep(0)])
        #expect(feed(&state, [ok, ok, idle]) == [.keep(0), .finish(0), .deliver(1)])
        _ = state.open([both, read("a"), both])
        #expect(
            feed(&state, [ok, failed, .skipped, .skipped, .skipped, idle]) == [
                .keep(0), .refuse(0, index: 1), .rerun(1), .rerun(2),
            ])
    }

    @Test
    func `an error in a shared group fails its own read, and the others run again, each with its own Sync`() {
        var state = prepared("a", "b", "c")
        _ = state.open([read("a"), read("b"), read("c"), read("a")])
        #expect(
            feed(&state, [ok, failed, .skipped, .skipped, idle]) == [
                .deliver(0), .refuse(1, index: 0), .rerun(2), .rerun(3),
            ])
        #expect(open(&state, [read("c"), read("a")], isolated: true) == "k3 for 0, Sync, k1 for 1, Sync")
        #expect(feed(&state, [failed, idle, ok, idle]) == [.refuse(0, index: 0), .deliver(1)])
    }

    @Test func `prepared reads have a Sync every few, and an error aborts only reads before the next Sync`() {
        var state = prepared("a")
        let words = open(&state, Array(repeating: read("a"), count: 18))
        #expect(
            words.split(separator: ", ").enumerated().filter { $0.element == "Sync" }.map(\.offset) == [
                8, 17, 20,
            ])
        let eight = Array(repeating: ok, count: 7) + [failed, idle]
        #expect(feed(&state, eight).last == .refuse(7, index: 0))
        #expect(
            feed(&state, [failed] + Array(repeating: .skipped, count: 7) + [idle]) == [.refuse(8, index: 0)]
                + (9..<16).map { .rerun($0) })
        #expect(feed(&state, [ok, ok, idle]) == [.deliver(16), .deliver(17)])
    }

    @Test func `a group with an unprepared read has only one Sync`() {
        var state = prepared("a")
        let words = open(&state, Array(repeating: read("a"), count: 9) + [read("new"), read("new")])
        #expect(words.split(separator: ", ").filter { $0 == "Sync" }.count == 1)
        #expect(words.hasSuffix("parse k2 for 9, k2 for 9, k2 for 10, Sync"))
    }

    @Test func `a failed or skipped Parse does not count as prepared`() {
        var state = PipelineState()
        _ = state.open([read("bad"), read("good")])
        #expect(
            feed(&state, [failed, .skipped, .skipped, .skipped, idle]) == [.refuse(0, index: 0), .rerun(1)])
        #expect(
            open(&state, [read("good"), read("bad")], isolated: true) == "text for 0, Sync, text for 1, Sync")
        _ = feed(&state, [ok, idle, ok, idle])
        #expect(open(&state, [read("good")]) == "parse k3 for 0, k3 for 0, Sync")
    }

    @Test func `a single write is answered at its Sync`() {
        var state = prepared("w")
        _ = state.open([single("w")])
        #expect(feed(&state, [ok]) == [.keep(0)])
        #expect(feed(&state, [idle]) == [.finish(0)])
    }

    @Test func `a deferred constraint fails the single write at its Sync`() {
        var state = prepared("w")
        _ = state.open([single("w")])
        #expect(feed(&state, [ok, failed, idle]) == [.keep(0), .refuse(0, index: 0)])
    }

    @Test func `a batch is answered at its COMMIT`() {
        var state = prepared("w", "v")
        #expect(open(&state, [batch("w", "v")]) == "BEGIN, k1 for 0, k2 for 0, COMMIT, Sync")
        #expect(feed(&state, [ok, ok, ok]) == [.keep(0), .keep(0)])
        #expect(state.awaitsCommit)
        #expect(feed(&state, [.done(tag: "COMMIT"), idle]) == [.finish(0)])
    }

    @Test func `after a failed batch a ROLLBACK goes first`() {
        var state = prepared("w", "v")
        _ = state.open([batch("w", "v")])
        #expect(
            feed(&state, [ok, ok, failed, .skipped, .synced(.failed)]) == [.keep(0), .refuse(0, index: 1)])
        #expect(state.needsRollback)
        #expect(open(&state, [single("w")]) == "ROLLBACK, Sync, k1 for 0, Sync")
        #expect(feed(&state, [ok, idle, ok, idle]) == [.keep(0), .finish(0)])
        #expect(!state.needsRollback)
    }

    @Test func `a COMMIT answered with ROLLBACK is a failure`() {
        var state = prepared("w")
        _ = state.open([batch("w")])
        #expect(feed(&state, [ok, ok, .done(tag: "ROLLBACK"), idle]) == [.keep(0), .rolledBack(0)])
    }

    @Test func `a COMMIT refused by a deferred constraint names no statement`() {
        var state = prepared("w")
        _ = state.open([batch("w")])
        #expect(feed(&state, [ok, ok, failed, idle]) == [.keep(0), .refuse(0, index: nil)])
    }

    @Test(arguments: [(false, false), (true, true)])
    func `a lost batch may have committed only if it was handed over`(isSent: Bool, may: Bool) {
        var state = prepared("w")
        _ = state.open([batch("w")])
        if isSent { state.handedOver() }
        var actions: [Action] = []
        state.connectionLost(&actions)
        #expect(actions == [.lost(0, mayHaveCommitted: may)])
        #expect(state.canSend)
        #expect(open(&state, [read("w")]) == "parse k1 for 0, k1 for 0, Sync", "plans go with the session")
    }

    @Test func `a batch whose COMMIT was answered is not lost`() {
        var state = prepared("w")
        _ = state.open([batch("w")])
        state.handedOver()
        #expect(feed(&state, [ok, ok, .done(tag: "COMMIT")]) == [.keep(0), .finish(0)])
        var actions: [Action] = []
        state.connectionLost(&actions)
        #expect(actions.isEmpty)
    }

    @Test func `a statement inside an open transaction cannot have committed`() {
        var state = prepared("w", keepsTransaction: true)
        _ = state.open([Member(.single, ["w"], commits: false)])
        state.handedOver()
        var actions: [Action] = []
        state.connectionLost(&actions)
        #expect(actions == [.lost(0, mayHaveCommitted: false)])
    }

    @Test func `lost reads run again, but not if they may not survive another loss`() {
        var state = prepared("a")
        var again = read("a")
        again.maySurviveLoss = false
        _ = state.open([read("a"), read("a"), again])
        state.handedOver()
        _ = feed(&state, [ok])
        var actions: [Action] = []
        state.connectionLost(&actions)
        #expect(actions == [.rerun(1), .lost(2, mayHaveCommitted: false)])
    }

    @Test func `a stale plan is replaced, and its statement runs again once`() {
        var state = prepared("a")
        _ = state.open([read("a")])
        #expect(feed(&state, [.failed(isStalePlan: true), idle]) == [.rerun(0)])
        #expect(open(&state, [read("a")]) == "DEALLOCATE k1, Sync, parse k2 for 0, k2 for 0, Sync")
        _ = feed(&state, [ok, idle, ok, ok, idle])
        var again = read("a")
        again.mayReprepare = false
        _ = state.open([again])
        #expect(feed(&state, [.failed(isStalePlan: true), idle]) == [.refuse(0, index: 0)])
    }

    @Test func `a stale plan makes a batch run again, but not a statement in an open transaction`() {
        var state = prepared("a")
        _ = state.open([batch("a", "a")])
        #expect(
            feed(&state, [ok, ok, .failed(isStalePlan: true), .skipped, .synced(.failed)]) == [
                .keep(0), .rerun(0),
            ])
        var session = prepared("a", keepsTransaction: true)
        _ = session.open([single("BEGIN")])
        _ = feed(&session, [ok, ok, .synced(.open)])
        _ = session.open([single("a")])
        #expect(feed(&session, [.failed(isStalePlan: true), .synced(.failed)]) == [.refuse(0, index: 0)])
    }

    @Test func `the first stale plan drops all plans`() {
        var state = prepared("a", "b")
        _ = state.open([batch("a", "b")])
        _ = feed(&state, [ok, .failed(isStalePlan: true), .skipped, .skipped, .synced(.failed)])
        let words = open(&state, [batch("a", "b")], isolated: true)
        #expect(words.contains("DEALLOCATE k1, Sync") && words.contains("DEALLOCATE k2, Sync"))
        #expect(words.hasSuffix("BEGIN, text for 0, text for 0, COMMIT, Sync"))
    }

    @Test func `a statement with a stale plan right after a failed batch runs again`() {
        var state = prepared("a", "w")
        _ = state.open([batch("w")])
        _ = feed(&state, [ok, failed, .skipped, .synced(.failed)])
        _ = state.open([batch("a")])
        // At a Sync with more steps behind it libpq knows no state, so the script repeats the known one.
        _ = feed(&state, [ok])
        #expect(state.transaction == .idle)
        #expect(
            feed(
                &state,
                [.synced(state.transaction), ok, .failed(isStalePlan: true), .skipped, .synced(.failed)])
                == [.rerun(0)])
    }
}
