/// Decides what one connection sends next, which request each answer belongs to, what an error aborts and
/// what runs again.
///
/// The type does no I/O: `Connection` carries out the steps and feeds it the answers.
///
/// A connection works on one *group* at a time. A group is a list of steps that ends in a Sync:
///
///     read lane        Parse? Execute  Parse? Execute  …  Sync  …      a Sync every few callers
///     run again        Execute Sync  Execute Sync  …                   each on its own
///     single write     Parse? Execute  Sync
///     batch            BEGIN  Parse? Execute  …  COMMIT  Sync
///
/// After an error the server skips everything up to the Sync. Skipped reads run again; a failed batch leaves
/// the session in a failed transaction, so the next group begins with a ROLLBACK and its own Sync.
struct PipelineState {
    /// Whether a transaction stays open between groups, as in a caller's own session.
    let keepsTransaction: Bool
    private let pooler: Database.Pooler
    /// The statement that goes first in each transaction.
    private let preface: Statement?
    private(set) var plans: PlanCache
    private(set) var members: [Member] = []
    /// The steps sent in this group, in order; `cursor` is the one whose answer comes next.
    private(set) var steps: [Step] = []
    private var cursor = 0
    /// The index of the first member whose Sync was not answered yet.
    private var firstUnsynced = 0
    private var wasHandedOver = false
    private var isCancelling = false
    /// Whether the server takes data. It answers nothing before `copyEnded`.
    private(set) var isCopying = false
    private(set) var transaction = Transaction.idle

    init(
        keepsTransaction: Bool = false, pooler: Database.Pooler = .none, preface: Statement? = nil
    ) {
        self.keepsTransaction = keepsTransaction
        self.pooler = pooler
        self.preface = preface
        plans = PlanCache(pooler)
    }

    var isUnderWay: Bool { cursor < steps.count }
    var canSend: Bool { !isUnderWay && !isCancelling }
    var needsRollback: Bool { transaction != .idle && !keepsTransaction }

    /// Whether the next answer tells if a batch was committed.
    var awaitsCommit: Bool {
        if isUnderWay, case .commit = steps[cursor] { true } else { false }
    }

    var isInScript: Bool {
        if isUnderWay, case .script = steps[cursor] { true } else { false }
    }

    /// Whether the server may ask for data now.
    var mayCopy: Bool {
        if isUnderWay, case .script(let member) = steps[cursor] {
            members[member].kind == .copy
        } else {
            false
        }
    }

    // MARK: Sending

    /// How many reads share a Sync if all their statements are prepared.
    ///
    /// At a Sync the server sends its answers so far: the first callers continue while it works for the next
    /// ones. With one Sync for a group of 128 the server idled while the callers worked, and the callers
    /// while it worked. But a statement must not run after a Sync if its Parse before that Sync may still
    /// fail.
    static let readsPerSync = 8

    /// Opens a group and returns its steps.
    ///
    /// `isolated` gives each member its own Sync.
    mutating func open(_ group: [Member], isolated: Bool = false) -> [Step] {
        reset(group)
        let isScript = group.first?.kind.isScript ?? false
        if needsRollback { addService("ROLLBACK") }
        // A script is sent outside of pipeline mode, and only an idle pipeline can be left.
        for name in isScript ? [] : plans.takeDropped() {
            addService(Statement(sql: "DEALLOCATE \(name)"))
        }
        let perSync = isolated ? 1 : plans.isOff || arePrepared(group) ? Self.readsPerSync : group.count
        for member in group.indices {
            add(member, isolated: isolated, isFirst: member % perSync == 0)
            let end = member + 1
            if !isScript, end == group.count || end % perSync == 0 { steps.append(.sync(upTo: end)) }
        }
        return steps
    }

    private func arePrepared(_ group: [Member]) -> Bool {
        group.allSatisfy { $0.statements.allSatisfy(plans.isConfirmed) }
    }

    /// Opens the first group of a new session, whose failure makes the session useless.
    ///
    /// `first` goes ahead of it, and may fail.
    mutating func openSetup(_ statements: [Statement], after first: Statement? = nil) -> [Step] {
        reset([])
        if let first { addService(first) }
        steps += statements.map { .service($0, isVital: true) } + [.sync(upTo: 0)]
        return steps
    }

    /// Notes that from now on the server may have seen the whole group.
    mutating func handedOver() {
        wasHandedOver = true
    }

    private mutating func reset(_ group: [Member]) {
        members = group
        steps.removeAll(keepingCapacity: true)
        cursor = 0
        firstUnsynced = 0
        wasHandedOver = false
        isCopying = false
    }

    private mutating func addService(_ statement: Statement) {
        steps.append(.service(statement, isVital: false))
        steps.append(.sync(upTo: 0))
    }

    private mutating func add(_ member: Int, isolated: Bool, isFirst: Bool) {
        if members[member].kind.isScript { return steps.append(.script(member)) }
        let isBatch = members[member].kind == .batch
        if isBatch { steps.append(.begin(member)) }
        // Without BEGIN everything up to the Sync is one transaction.
        if isFirst, let preface { steps.append(.service(preface, isVital: true)) }
        for index in members[member].statements.indices {
            switch plans.use(members[member].statements[index], confirmedOnly: isolated) {
            case .prepared(let name): steps.append(.run(name, member, index))
            case .unnamed: steps.append(.run(nil, member, index))
            case .prepare(let name):
                steps.append(.prepare(name, member, index))
                steps.append(.run(name, member, index))
            }
        }
        if isBatch { steps.append(.commit(member)) }
    }

    // MARK: Receiving

    /// Takes the next answer and appends the actions that follow from it.
    mutating func receive(_ answer: Answer, _ actions: inout [Action]) {
        guard isUnderWay else { return }
        let step = steps[cursor]
        if case .sync(let end) = step {
            receiveAtSync(answer, upTo: end, &actions)
        } else if case .script(let member) = step {
            receiveInScript(answer, member, &actions)
        } else {
            cursor += 1
            receive(answer, to: step, &actions)
        }
    }

    private mutating func receive(_ answer: Answer, to step: Step, _ actions: inout [Action]) {
        switch (step, answer) {
        case (.prepare(_, let member, let index), .done): plans.confirm(sql(member, index))
        case (.prepare(_, let member, let index), .failed):
            plans.forget(sql(member, index))
            refuse(member, index, &actions)
        case (.prepare(_, let member, let index), .skipped): plans.forget(sql(member, index))
        case (.run(_, let member, let index), .done):
            if members[member].kind == .read, members[member].statements.count == 1 {
                settle(member, .deliver(member), &actions)
            } else {
                actions.append(.keep(member))
                let isLast = index == members[member].statements.count - 1
                if members[member].kind == .read, isLast { settle(member, .finish(member), &actions) }
            }
        case (.run(_?, let member, let index), .failed(isStalePlan: true)):
            // A migration that changed one table may have changed others.
            plans.dropConfirmed()
            if members[member].mayReprepare && transaction == .idle {
                members[member].isStale = true
            } else {
                refuse(member, index, &actions)
            }
        case (.run(_, let member, let index), .failed): refuse(member, index, &actions)
        case (.commit(let member), .done(let tag)):
            settle(member, tag == "COMMIT" ? .finish(member) : .rolledBack(member), &actions)
        case (.begin(let member), .failed), (.commit(let member), .failed): refuse(member, nil, &actions)
        case (.service(_, isVital: true), .failed): actions.append(.sessionUseless)
        // libpq knows the transaction's state at a Sync only if nothing follows it.
        case (.service(let statement, _), .done) where statement.sql == "ROLLBACK": transaction = .idle
        default: break
        }
    }

    private mutating func receiveAtSync(_ answer: Answer, upTo end: Int, _ actions: inout [Action]) {
        // A deferred constraint of a statement without BEGIN fails here, before the Sync is answered.
        if case .failed = answer {
            for member in firstUnsynced..<end {
                refuse(member, members[member].statements.indices.last, &actions)
            }
        }
        guard case .synced(let status) = answer else { return }
        transaction = status
        cursor += 1
        for member in firstUnsynced..<end { settleAtSync(member, &actions) }
        firstUnsynced = max(firstUnsynced, end)
    }

    private mutating func settleAtSync(_ member: Int, _ actions: inout [Action]) {
        if members[member].isStale || members[member].kind == .read {
            settle(member, .rerun(member), &actions)
        } else {
            settle(member, members[member].kind == .batch ? .rolledBack(member) : .finish(member), &actions)
        }
    }

    /// Takes one result of a script. The caller reports the end of the results as `synced`.
    private mutating func receiveInScript(_ answer: Answer, _ member: Int, _ actions: inout [Action]) {
        switch answer {
        case .failed: refuse(member, nil, &actions)
        case .synced(let status):
            transaction = status
            cursor += 1
            settle(member, .finish(member), &actions)
        case .copying: isCopying = true
        case .done:
            if members[member].kind == .copy { actions.append(.keep(member)) }
        case .skipped: break
        }
    }

    /// Notes that the server was told the end of the data. Its answer comes next.
    mutating func copyEnded() {
        isCopying = false
    }

    private mutating func refuse(_ member: Int, _ index: Int?, _ actions: inout [Action]) {
        settle(member, .refuse(member, index: index), &actions)
    }

    private mutating func settle(_ member: Int, _ action: Action, _ actions: inout [Action]) {
        guard !members[member].isSettled else { return }
        members[member].isSettled = true
        actions.append(action)
    }

    private func sql(_ member: Int, _ index: Int) -> String {
        members[member].statements[index].sql
    }

    // MARK: Trouble

    /// Ends the group because the connection is gone. Reads run again, and the rest is lost.
    mutating func connectionLost(_ actions: inout [Action]) {
        for member in members.indices where isUnderWay && !members[member].isSettled {
            let mayRerun = members[member].kind == .read && members[member].maySurviveLoss
            let mayHaveCommitted = wasHandedOver && members[member].commits
            settle(
                member, mayRerun ? .rerun(member) : .lost(member, mayHaveCommitted: mayHaveCommitted),
                &actions)
        }
        self = PipelineState(keepsTransaction: keepsTransaction, pooler: pooler, preface: preface)
    }

    /// Whether a cancel may be sent now: one at a time, and only while it can hit nothing but abandoned
    /// members.
    ///
    /// Nothing else is sent until `cancelReturned`.
    mutating func beginCancel(_ isAbandoned: (Int) -> Bool) -> Bool {
        guard isUnderWay, !isCancelling, !isCopying, wasHandedOver, !steps[cursor].isService else {
            return false
        }
        var isWanted = false
        for member in members.indices where !members[member].isSettled {
            guard isAbandoned(member) else { return false }
            isWanted = true
        }
        guard isWanted else { return false }
        if case .sync(upTo: 0) = steps[cursor] { return false }
        isCancelling = true
        return true
    }

    mutating func cancelReturned() {
        isCancelling = false
    }
}
