import Foundation
import TestSupport
import Testing

@testable import AppTesting

/// The commands of the tours print the output shown there.
struct TourTests {
    /// A page, and how its section with the tour begins; empty: the whole page.
    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            ("README.md", "The five-minute tour\n"), ("docs/growth.md", ""), ("docs/config.md", "A tour\n"),
            ("docs/experiments.md", "A tour\n"), ("docs/people.md", "A tour\n"),
        ])
    func `a tour prints what its page shows`(page: String, section: String) async throws {
        let steps = try Tour(RepositoryFile.read(page), section).steps
        try #require(steps.count >= 9)
        let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let built = RepositoryFile.root.appending(path: ".build/debug")
        let kith = [beside, built].map { $0.appending(path: "kith") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        let output = try await DevServer(#require(kith, "build the product kith first")).walk(steps)
        for (step, lines) in zip(steps, output) {
            let printed = lines.joined(separator: "\n")
            #expect(step.isShown(by: lines), "\(step.commands)\nprinted\n\(printed)")
        }
        #expect(output.count == steps.count, "it ended early; see its last lines:\n\(output.last ?? [])")
    }

    @Test func `the output of a step is compared line by line, and … matches anything`() {
        let step = Tour.Step(commands: "", expected: ["HTTP/1.1 302 Found", "{\"at\":\"…Z\",…,\"uses\":1}"])
        #expect(step.isShown(by: ["HTTP/1.1 302 Found", "{\"at\":\"2026Z\",\"b\":2,\"uses\":1}"]))
        #expect(!step.isShown(by: ["HTTP/1.1 302 Found"]))
        #expect(!step.isShown(by: ["HTTP/1.1 200 OK", "{\"at\":\"2026Z\",\"b\":2,\"uses\":1}"]))
        #expect(!step.isShown(by: ["HTTP/1.1 302 Found", "{\"at\":\"2026Z\",\"b\":2,\"uses\":12}"]))
        #expect(!step.isShown(by: ["HTTP/1.1 302 Found", "{\"at\":\"2026Z\",\"uses\":1}"]))
    }
}

/// A tour: commands, each with the output that its page shows.
private struct Tour {
    struct Step {
        var commands: String
        var expected: [String] = []
        /// Whether it is `kith dev`, in place of the one that runs.
        var isServer: Bool { commands.hasSuffix("kith dev") }

        func isShown(by printed: [String]) -> Bool {
            printed.count == expected.count && zip(printed, expected).allSatisfy(Self.matches)
        }

        private static func matches(_ line: String, _ pattern: String) -> Bool {
            let parts = pattern.split(separator: "…", omittingEmptySubsequences: false)
            guard parts.count > 1 else { return line == pattern }
            guard line.hasPrefix(parts[0]) else { return false }
            var rest = line.dropFirst(parts[0].count)
            for part in parts.dropFirst().dropLast() {
                guard let range = rest.firstRange(of: part) else { return false }
                rest = rest[range.upperBound...]
            }
            return rest.hasSuffix(parts[parts.count - 1])
        }
    }

    var steps: [Step] = []

    /// - Parameter section: how the section begins; empty: all sections.
    init(_ page: String, _ section: String) {
        let text =
            section.isEmpty
            ? page : page.components(separatedBy: "\n## ").first { $0.hasPrefix(section) }
        for block in text?.matches(of: /```sh\n(.*?)```/.dotMatchesNewlines()) ?? [] {
            for line in block.output.1.split(separator: "\n") {
                if line.hasPrefix("# → ") {
                    steps[steps.count - 1].expected.append(String(line.dropFirst(4)))
                } else if let last = steps.last, last.expected.isEmpty, !last.isServer,
                    !line.hasSuffix("kith dev")
                {
                    steps[steps.count - 1].commands += "\n\(line)"
                } else {
                    steps.append(Step(commands: String(line)))
                }
            }
        }
    }
}

/// A `kith dev` with a folder and ports of its own, for one walk.
private struct DevServer {
    private let kith: URL
    private let folder: URL
    private let ports: [UInt16]

    init(_ kith: URL) throws {
        self.kith = kith
        ports = try Loopback.freePorts(3)
        folder = URL(filePath: "/tmp/kith-tour-\(UUID().uuidString.prefix(8))")
        for (path, place) in [
            (".build/debug/kith", kith), ("examples", RepositoryFile.root.appending(path: "examples")),
        ] {
            let link = folder.appending(path: path)
            try FileManager.default.createDirectory(
                at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place)
        }
    }

    /// The lines that each step prints; fewer steps if the tour ended early.
    func walk(_ steps: [Tour.Step]) async throws -> [[String]] {
        defer { try? FileManager.default.removeItem(at: folder) }
        let commands = steps.map { $0.isServer ? "serve env \($0.commands)" : $0.commands }
        let script = ([Self.functions, "serve \(kith.path) dev"] + commands).map { "\($0)\nprintf '\\036'\n" }
        let bash = try start(
            script.joined().replacing("8080", with: "\(ports[0])").replacing("9000", with: "\(ports[2])"))
        await end(of: bash)
        let output = try String(contentsOf: folder.appending(path: "walk"), encoding: .utf8)
            .replacing("\r\n", with: "\n").replacing("\(ports[0])", with: "8080")
        return output.split(separator: "\u{1E}", omittingEmptySubsequences: false).dropFirst(2).dropLast()
            .map { $0.split(separator: "\n").map(String.init) }
    }

    /// `serve` begins a server, and ends the one before it. All that runs ends with the walk.
    private static let functions = """
        KITH=http://127.0.0.1:8080
        serve() {
            [ -z "$SERVER" ] || { kill $SERVER; wait $SERVER; }
            "$@" >>server 2>&1 &
            SERVER=$!
            until curl -s -o /dev/null $KITH/robots.txt; do
                kill -0 $SERVER || { cat server; exit 1; }
                sleep 0.1
            done
        }
        # Signals but KILL may be blocked in what runs beside the server.
        trap 'kill $SERVER; wait $SERVER; kill -KILL $(jobs -p)' EXIT
        """

    private func start(_ script: String) throws -> Process {
        let file = folder.appending(path: "walk")
        try Data().write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["bash", "-c", script]
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("KITH_") }
            .merging([
                "KITH_LISTEN": "127.0.0.1:\(ports[0])", "KITH_OPS_LISTEN": "127.0.0.1:\(ports[1])",
                "KITH_SHUTDOWN_SECONDS": "5", "NO_PROXY": "127.0.0.1,localhost",
            ]) { _, own in own }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: file)
        process.standardError = process.standardOutput
        try process.run()
        return process
    }

    /// Returns when it ends. The time limit of the test sends SIGKILL to its whole process group: a child of
    /// these threads may have every other signal blocked.
    private func end(of process: Process) async {
        let group = -process.processIdentifier
        await withTaskCancellationHandler {
            while process.isRunning { try? await Task.sleep(for: .milliseconds(50)) }
        } onCancel: {
            kill(group, SIGKILL)
        }
    }
}
