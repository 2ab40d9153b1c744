internal import Foundation

/// The user that the server runs as.
///
/// PostgreSQL refuses root, so root runs it as the user `postgres`.
struct Owner {
    let user: String?

    static let current = Owner(user: nil)
    static var ofServer: Owner { geteuid() == 0 ? Owner(user: "postgres") : current }

    /// Returns the command that runs `arguments` as this user.
    func command(_ arguments: [String]) -> [String] {
        guard let user else { return arguments }
        let setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].first(where: FileManager.default.isExecutableFile)
        if let setpriv {
            return [setpriv, "--reuid", user, "--regid", user, "--init-groups", "--"] + arguments
        }
        return ["/usr/bin/su", user, "-s", "/bin/sh", "-c", "exec \"$0\" \"$@\"", "--"] + arguments
    }

    func run(_ arguments: [String]) -> (status: Int32, output: String, line: String?) {
        let command = command(arguments)
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardOutput = pipe
        process.standardError = pipe
        process.standardInput = FileHandle.nullDevice
        do { try process.run() } catch { return (-1, "\(command[0]): \(error)", nil) }
        let data = (try? pipe.fileHandleForReading.readToEnd()) ?? Data()
        process.waitForExit()
        let output = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return (process.terminationStatus, output, output.split(separator: "\n").first.map(String.init))
    }

    /// Creates a private folder with a short path: a socket's path may have about 100 bytes.
    /// - Parameter inMemory: whether it is in memory if that has room, where PostgreSQL makes a new database
    ///   with a fifth of the work.
    func makeTemporaryDirectory(inMemory: Bool) throws -> String {
        let parent = inMemory && Self.memoryHasRoom ? Self.memory : "/tmp"
        var template = Array("\(parent)/kith-XXXXXX".utf8CString)
        let path = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let path else { throw EmbeddedPostgresError.failed("cannot create a folder in \(parent)") }
        try own(path)
        return path
    }

    private static let memory = "/dev/shm"

    /// Whether a few hundred databases fit in.
    private static var memoryHasRoom: Bool {
        var volume = statvfs()
        guard statvfs(memory, &volume) == 0 else { return false }
        return UInt64(volume.f_bavail) * UInt64(volume.f_frsize) > 8 << 30
    }

    /// Creates the folder if it does not exist, and gives a new or empty one to this user. Throws
    /// `unreachable` if the user still cannot write to it.
    func own(_ path: String) throws {
        var attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        if let user, let entry = getpwnam(user) {
            attributes[.ownerAccountID] = NSNumber(value: entry.pointee.pw_uid)
            attributes[.groupOwnerAccountID] = NSNumber(value: entry.pointee.pw_gid)
        } else if let user {
            throw EmbeddedPostgresError.failed(
                "PostgreSQL does not run as root, and there is no user \(user)")
        }
        if !FileManager.default.fileExists(atPath: path) {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
        } else if isEmpty(path) {
            try FileManager.default.setAttributes(attributes, ofItemAtPath: path)
        }
        guard run(["/bin/sh", "-c", "test -w \"$0\" && test -x \"$0\"", path]).status == 0 else {
            throw EmbeddedPostgresError.unreachable(directory: path, user: user ?? NSUserName())
        }
    }

    private func isEmpty(_ path: String) -> Bool {
        (try? FileManager.default.contentsOfDirectory(atPath: path).isEmpty) ?? false
    }
}
