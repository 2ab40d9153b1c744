internal import Foundation

/// A server's data folder.
struct Cluster {
    let data: String
    let binaries: String
    let owner: Owner

    /// Creates the folder if it does not exist. Returns whether it must be initialised. Throws `inUse`.
    func prepare() throws -> Bool {
        try owner.own(data)
        // Root may not be able to read it, but its owner is.
        let isInitialised = owner.run(["/bin/sh", "-c", "test -e \"$0\"", data + "/PG_VERSION"]).status == 0
        if isInitialised { try waitUntilFree() }
        return !isInitialised
    }

    /// Waits for the server of a process that was just killed to shut down. One that stays up belongs to
    /// another process.
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
