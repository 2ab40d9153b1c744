import Testing

@testable import Postgres

/// Cancels, sessions, scripts and COPY.
extension PipelineStateTests {
    @Test func `a shared group is cancelled once nobody waits for the rest of it`() {
        var state = prepared("a")
        _ = state.open([read("a"), read("a"), read("a")])
        state.handedOver()
        _ = feed(&state, [ok])
        #expect(!state.beginCancel { $0 == 1 }, "one caller still waits")
        #expect(state.beginCancel { $0 > 0 })
        #expect(!state.beginCancel { $0 > 0 }, "one cancel at a time")
        state.cancelReturned()
        _ = feed(&state, [ok, ok, idle])
        #expect(!state.beginCancel { _ in true }, "all have their answers")
    }

    @Test func `a new session first ends the process of the previous one, and works even if that fails`() {
        var state = PipelineState()
        #expect(words(state.openSetup(["SET a"], after: "end it")) == "end it, Sync, SET a, Sync")
        #expect(feed(&state, [failed, idle, ok, idle]) == [])
    }

    @Test func `a session keeps its transaction from group to group`() {
        var state = prepared("w", keepsTransaction: true)
        _ = state.open([single("w")])
        _ = feed(&state, [ok, .synced(.open)])
        #expect(open(&state, [single("w")]) == "k1 for 0, Sync")
        var lane = prepared("w")
        _ = lane.open([single("w")])
        _ = feed(&lane, [ok, .synced(.open)])
        #expect(open(&lane, []) == "ROLLBACK, Sync", "a lane does not")
    }

    @Test func `a cancel holds the next group back until it has returned`() {
        var state = prepared("w")
        _ = state.open([single("w")])
        #expect(!begin(&state), "nothing was sent")
        state.handedOver()
        #expect(begin(&state))
        #expect(!begin(&state), "one cancel at a time")
        #expect(feed(&state, [failed, idle]) == [.refuse(0, index: 0)])
        #expect(!state.canSend)
        state.cancelReturned()
        #expect(state.canSend)
    }

    @Test
    func `a cancel never hits the connection's own ROLLBACK, another caller's statement or an earlier group`()
    {
        var state = prepared("w")
        _ = state.open([batch("w")])
        _ = feed(&state, [ok, failed, .skipped, .synced(.failed)])
        _ = state.open([single("w")])
        state.handedOver()
        #expect(!begin(&state))
        _ = feed(&state, [ok])
        #expect(!begin(&state))
        _ = feed(&state, [idle])
        #expect(begin(&state))
        _ = feed(&state, [ok, idle])
        state.cancelReturned()
        #expect(!begin(&state))
        _ = state.open([read("w"), read("w")])
        state.handedOver()
        #expect(!begin(&state))
    }

    @Test func `a session whose settings are refused is useless`() {
        var state = PipelineState()
        _ = state.openSetup(["SET a", "SET b"])
        #expect(feed(&state, [ok, failed, idle]) == [.sessionUseless])
    }

    @Test func `a script ends when there are no more results`() {
        var state = PipelineState(keepsTransaction: true)
        #expect(open(&state, [Member(.script, ["x; y"])]) == "script")
        #expect(feed(&state, [ok, ok, idle]) == [.finish(0)])
        _ = state.open([Member(.script, ["x; y"])])
        #expect(feed(&state, [ok, failed, idle]) == [.refuse(0, index: nil)])
    }

    @Test func `a COPY takes data between its two answers, and cannot be cancelled meanwhile`() {
        var state = PipelineState(keepsTransaction: true)
        #expect(open(&state, [Member(.copy, ["COPY t FROM STDIN"])]) == "script")
        #expect(state.mayCopy && !state.isCopying)
        state.handedOver()
        #expect(feed(&state, [.copying]) == [])
        #expect(state.isCopying && !begin(&state), "the server waits for data, not for a cancel")
        state.copyEnded()
        #expect(feed(&state, [ok, .synced(.open)]) == [.keep(0), .finish(0)])
        #expect(state.canSend && !state.isCopying)
    }
}
