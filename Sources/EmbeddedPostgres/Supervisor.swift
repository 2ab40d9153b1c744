internal import Foundation

/// The shell process that starts and stops the server, and outlives this process by a moment.
// Once set up, the process and its pipes are used only on `queue`.
final class Supervisor: @unchecked Sendable {
    // The script reads a command and answers in one line: ok, or the end of the log. At the end of its input
    // it cleans up, even if nobody is left to read its last answer.
    private static let script = """
        trap '' INT HUP TERM PIPE
        programs=$1 data=$2 options=$3 temporary=$4
        control="$programs/pg_ctl" log="$temporary/log"
        init() { "$programs/initdb" -D "$data" -U postgres -A trust -E UTF8 "$@" >"$log" 2>&1; }
        while read -r command; do
            case $command in
                # Not every system has C.UTF-8.
                copy*) "$programs/pg_basebackup" -d "${command#copy }" -D "$data" -R -X stream -c fast >"$log" 2>&1 ;;
                init*) init --locale=C.UTF-8 ${command#init} || init --locale=C ${command#init} ;;
                start) "$control" start -w -t 60 -D "$data" -l "$log" -o "$options" >/dev/null 2>&1 ;;
                *) "$control" stop -w -t 60 -m "$command" -D "$data" >/dev/null 2>&1 ;;
            esac
            if [ $? = 0 ]; then echo ok; else tail -n 5 "$log" | tr '\\n' ' '; echo; fi
        done
        mode=fast
        case $data in "$temporary"/*) mode=immediate ;; esac
        "$control" stop -w -t 60 -m $mode -D "$data" >/dev/null 2>&1
        cd / && rm -rf "$temporary"
        """

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    // The queue runs one command at a time, so that each gets its own answer.
    private let queue = DispatchQueue(label: "embedded-postgres")

    init(owner: Owner, binaries: String, data: String, options: String, temporary: String) throws {
        let command = owner.command([
            "/bin/sh", "-c", Supervisor.script, "embedded-postgres", binaries, data, options,
            temporary,
        ])
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = URL(fileURLWithPath: "/")
        process.standardInput = input
        process.standardOutput = output
        // No other child may hold the pipe open, or the script would not see this process end.
        _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        try process.run()
    }

    /// Sends a command. Throws `failed` with the end of the server's log.
    func command(_ command: String) async throws {
        let answer = try await Blocking.run(on: queue) { [self] in try exchange(command) }
        guard answer == "ok" else { throw EmbeddedPostgresError.failed(answer) }
    }

    /// Returns when the server is stopped and temporary files are removed.
    func end() async {
        try? await Blocking.run(on: queue) { [self] in
            try? input.fileHandleForWriting.close()
            process.waitForExit()
        }
    }

    private func exchange(_ command: String) throws -> String {
        guard process.isRunning else { throw EmbeddedPostgresError.failed("its supervisor has ended") }
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        var line = Data()
        while let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty, byte != Data([10])
        {
            line += byte
        }
        return String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    }
}
