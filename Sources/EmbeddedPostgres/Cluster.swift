internal import Foundation

/// A folder with a server's data.
struct Cluster {
    let data: String
    let binaries: String
    let owner: Owner

    /// Makes the folder if it is new; returns whether it must be initialised. Throws `inUse`.
    func prepare() throws -> Bool {
        try owner.own(data)
        // Root may not see into it; its owner may.
        let isInitialised = owner.run(["/bin/sh", "-c", "test -e \"$0\"", data + "/PG_VERSION"]).status == 0
        if isInitialised { try waitUntilFree() }
        return !isInitialised
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
