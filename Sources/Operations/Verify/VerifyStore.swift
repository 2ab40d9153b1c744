package import Kernel
package import Postgres
import Web

/// Checks every invariant over the whole database while it is in use, and repairs breaches that have only one
/// correct fix.
///
/// It walks tables slice by slice, so each statement is short and at most a slice is in memory. Breaches in a
/// slice are counted again while writers wait, and only then reported or repaired.
package struct VerifyStore: Sendable {
    let db: Database
    let checks: [TableCheck]
    /// How many slices to check at once. Each keeps one core of the database busy.
    let width = 2
    /// How many homes to count or repair at once, while their writers wait.
    let homesAtOnce = 25

    package init(db: Database, checks: [TableCheck]) {
        self.db = db
        self.checks = checks
    }

    /// Checks the database. Throws `MigrationError.pending` if the schema is older than this binary.
    package func verify(
        repairing: Bool = false, progress: @Sendable (VerifyProgress) -> Void = { _ in }
    ) async throws -> VerifyReport {
        let pending = try await Migrator(db).status().pending
        guard pending.isEmpty else { throw MigrationError.pending(pending.map(\.fileName)) }
        let start = ContinuousClock.now
        var report = VerifyReport()
        report.isRepairing = repairing
        var estimates: [Int] = []
        for check in checks {
            estimates.append(try await TableCheckStore(db: db, check: check).estimatedRows())
        }
        let about = estimates.reduce(0, +)
        for (check, estimate) in zip(checks, estimates) {
            let before = report
            var sum = Findings(check)
            try await walk(check, about: estimate, repairing: repairing) { findings in
                sum += findings
                progress(
                    VerifyProgress(
                        table: check.table.description, rows: before.rowsSeen + sum.rows, ofAbout: about,
                        broken: before.rowsFound + sum.breaches.reduce(0) { $0 + $1.found }))
            }
            report.add(sum, of: check)
        }
        report.seconds = (ContinuousClock.now - start) / .seconds(1)
        return report
    }

    /// The breaches in one part of a table.
    struct Findings: Sendable {
        var rows = 0
        var breaches: [VerifyReport.Breach]

        init(_ check: TableCheck) {
            breaches = check.invariants.map { VerifyReport.Breach(invariant: $0) }
        }

        static func += (sum: inout Findings, more: Findings) {
            sum.rows += more.rows
            for (number, breach) in more.breaches.enumerated() { sum.breaches[number].add(breach) }
        }
    }

    private func walk(
        _ check: TableCheck, about rows: Int, repairing: Bool, _ found: (Findings) -> Void
    ) async throws {
        let store = TableCheckStore(db: db, check: check)
        try await withThrowingTaskGroup(of: Findings.self) { group in
            var underWay = 0
            func start(_ slice: Slice) async throws {
                if underWay == width, let findings = try await group.next() {
                    found(findings)
                    underWay -= 1
                }
                group.addTask { try await examine(slice, store, repairing: repairing) }
                underWay += 1
            }
            if check.home.isUser {
                for slice in Slice.ofUsers(rows / check.sliceRows + 1) { try await start(slice) }
            } else {
                var from = ""
                while let next = try await store.bound(after: from) {
                    try await start(.texts(from: from, before: next))
                    from = next
                }
                try await start(.texts(from: from, before: nil))
            }
            for try await findings in group { found(findings) }
        }
    }

    private func examine(_ slice: Slice, _ store: TableCheckStore, repairing: Bool) async throws -> Findings {
        var findings = Findings(store.check)
        do {
            let look = try await store.look(at: slice)
            findings.rows = look.rows
            var homes = look.homes.sorted()[...]
            while !homes.isEmpty {
                findings += try await settle(
                    Array(homes.prefix(homesAtOnce)), store, repairing: repairing && store.check.hasRepairs)
                homes = homes.dropFirst(homesAtOnce)
            }
        } catch let error as PostgresError where error.isTimeout && !slice.halves.isEmpty {
            findings = Findings(store.check)
            for half in slice.halves {
                findings += try await examine(half, store, repairing: repairing)
            }
        }
        return findings
    }

    /// Counts the breaches at some homes, and repairs them. If a repair fails, for instance by a constraint,
    /// it repairs each home alone, and reports the breach of the failing home as left.
    private func settle(_ homes: [String], _ store: TableCheckStore, repairing: Bool) async throws -> Findings
    {
        var findings = Findings(store.check)
        let before = try await store.count(at: homes)
        var after = before
        if repairing, before.contains(where: { $0.rows > 0 }) {
            do {
                after = try await repair(homes, store)
            } catch PostgresError.server where homes.count > 1 {
                for home in homes { findings += try await settle([home], store, repairing: true) }
                return findings
            } catch PostgresError.server {
                after = try await store.count(at: homes)
            }
        }
        for number in before.indices { findings.breaches[number].add(before[number], left: after[number]) }
        return findings
    }

    /// Repairs the homes, and retries if other writers interfered.
    private func repair(_ homes: [String], _ store: TableCheckStore) async throws -> [TableCheckStore.Count] {
        for _ in 0..<9 {
            do {
                return try await store.repair(at: homes)
            } catch let error as PostgresError
                where error.outcome() == AccountError.changedMeanwhile || error.isOutage
            {
                continue
            }
        }
        return try await store.repair(at: homes)
    }
}

extension PostgresError {
    /// Whether the statement took too long, by our clock or the server's.
    fileprivate var isTimeout: Bool {
        if case .timedOut = self { true } else { sqlState == "57014" }
    }
}

extension VerifyReport {
    fileprivate var rowsSeen: Int { rows.reduce(0) { $0 + $1.count } }
    fileprivate var rowsFound: Int { breaches.reduce(0) { $0 + $1.found } }

    fileprivate mutating func add(_ findings: VerifyStore.Findings, of check: TableCheck) {
        if check.countsRows { rows.append((check.table.description, findings.rows)) }
        breaches += findings.breaches.filter { $0.found > 0 }
    }
}

extension VerifyReport.Breach {
    fileprivate mutating func add(_ more: VerifyReport.Breach) {
        let hadLeft = left > 0
        found += more.found
        mended += more.mended
        keep(more.keys, areLeft: more.left > 0, hadLeft: hadLeft)
    }

    fileprivate mutating func add(_ before: TableCheckStore.Count, left after: TableCheckStore.Count) {
        let hadLeft = left > 0
        found += before.rows
        mended += max(0, before.rows - after.rows)
        keep(after.rows > 0 ? after.keys : before.keys, areLeft: after.rows > 0, hadLeft: hadLeft)
    }

    /// Keeps some keys. Those of broken rows come before those of repaired ones.
    private mutating func keep(_ more: [String], areLeft: Bool, hadLeft: Bool) {
        let all = areLeft && !hadLeft ? more + keys : areLeft || !hadLeft ? keys + more : keys
        keys = Array(all.prefix(Self.keysShown))
    }
}
