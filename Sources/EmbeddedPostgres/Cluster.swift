internal import Foundation

/// A folder with a server's data.
struct Cluster {
    let data: String
    let binaries: String
    let owner: Owner

    /// Makes the folder ready to start on: initialised and in nobody's use.
    func prepare(durable: Bool) throws {
        try owner.own(data)
        // Root may not see into it; its owner may.
        if owner.run(["/bin/sh", "-c", "test -e \"$0\"", data + "/PG_VERSION"]).status != 0 {
            try initialise(durable: durable)
        } else {
            try waitUntilFree()
        }
    }

    private func initialise(durable: Bool) throws {
        let arguments = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"] + (durable ? [] : ["-N"])
        // Not every system has C.UTF-8.
        var outcome = owner.run([binaries + "/initdb"] + arguments + ["--locale=C.UTF-8"])
        if outcome.status != 0 { outcome = owner.run([binaries + "/initdb"] + arguments + ["--locale=C"]) }
        guard outcome.status == 0 else { throw EmbeddedPostgresError.failed(outcome.output) }
    }

    /// A server whose parent was just killed is still on its way down; one that stays is another's.
    private func waitUntilFree() throws {
        for _ in 0..<50 {
            guard isRunning else { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
        throw EmbeddedPostgresError.inUse(directory: data)
    }

    private var isRunning: Bool {
        owner.run([binaries + "/pg_ctl", "status", "-D", data]).status == 0
    }
}
