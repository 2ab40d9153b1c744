import EmbeddedPostgres
import Foundation
import TestSupport
import Testing

@testable import Kernel

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The built `kith`, run as a process.
struct KithCommand {
    private let process = Process()
    private let output = Pipe()
    private let error = Pipe()

    /// - Parameter environment: its whole environment, but for `PATH`.
    init(_ arguments: [String], _ environment: [String: String] = [:]) throws {
        process.executableURL = try Self.executable()
        process.arguments = arguments
        process.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { own, _ in own }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = error
    }

    /// - Parameter script: for `sh`; `"$KITH"` in it is the command.
    init(shell script: String, _ environment: [String: String]) throws {
        try self.init(["-c", script], environment)
        process.environment?["KITH"] = process.executableURL?.path
        process.executableURL = URL(filePath: "/bin/sh")
    }

    struct Outcome: Sendable {
        var status: Int32
        var output: String
        var error: String
    }

    func run() async throws -> Outcome {
        try start()
        return await exit()
    }

    func start() throws {
        try process.run()
    }

    func terminate() { process.terminate() }

    var isRunning: Bool { process.isRunning }

    var id: Int32 { process.processIdentifier }

    /// Waits until it exits, and returns its output.
    func exit() async -> Outcome {
        async let said = Self.text(output)
        async let complained = Self.text(error)
        let (output, error) = await (said, complained)
        process.waitForExit()
        // A `Process` is never released, nor are its pipes. With 1,350 descriptors open, `Process.run` of
        // Swift 6.3 reads behind the end of their list and crashes.
        for pipe in [self.output, self.error] { try? pipe.fileHandleForReading.close() }
        return Outcome(status: process.terminationStatus, output: output, error: error)
    }

    private static func text(_ pipe: Pipe) async -> String {
        let file = pipe.fileHandleForReading.fileDescriptor
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                let data = (try? FileHandle(fileDescriptor: file).readToEnd()) ?? Data()
                continuation.resume(returning: String(decoding: data, as: UTF8.self))
            }
        }
    }

    /// The build puts it beside the test bundle.
    private static func executable() throws -> URL {
        let bundles = [Bundle.main] + Bundle.allBundles
        let folders = bundles.flatMap { [$0.bundleURL, $0.bundleURL.deletingLastPathComponent()] }
        let found = folders.map { $0.appending(path: "kith") }.first {
            FileManager.default.isExecutableFile(atPath: $0.path)
        }
        return try #require(found, "kith is not built: run `swift build`")
    }
}

/// A `kith serve` on free ports, called over HTTP.
struct KithServer {
    let process: KithCommand
    let origin: String
    private let opsOrigin: String
    private let key: DevelopmentKey

    /// Returns once it is ready.
    static func start(_ environment: [String: String], _ arguments: [String] = ["serve"]) async throws
        -> KithServer
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-test-server-\(getpid())")
        let key = try DevelopmentKey(folder: folder)
        let addresses = try Loopback.freePorts(2).map { "127.0.0.1:\($0)" }
        let (listen, ops) = (addresses[0], addresses[1])
        var settings = environment
        settings["KITH_LISTEN"] = listen
        settings["KITH_OPS_LISTEN"] = ops
        settings["KITH_AUTH_JWKS"] = key.config.jwks
        settings["KITH_AUTH_ISSUER"] = key.config.issuer
        settings["KITH_AUTH_AUDIENCE"] = key.config.audience
        let process = try KithCommand(arguments, settings)
        try process.start()
        let server = KithServer(
            process: process, origin: "http://\(listen)", opsOrigin: "http://\(ops)", key: key)
        try await waitUntil("kith serves") {
            guard process.isRunning else { throw EndedEarly(outcome: await process.exit()) }
            let answers = try? await (server.call("GET", "/robots.txt").status, server.ops("/readyz").status)
            return answers.map { $0 == (200, 200) } ?? false
        }
        return server
    }

    /// `kith serve` ended instead of serving.
    struct EndedEarly: Error { let outcome: KithCommand.Outcome }

    func exit() async -> KithCommand.Outcome { await process.exit() }

    func token(for uid: String) async throws -> String { try await key.sign(uid: uid) }

    struct Answer: Sendable {
        var status: Int
        var text: String
    }

    /// - Parameter uid: the caller, by an ID token.
    func call(_ method: String, _ path: String, as uid: String, body: Body? = nil) async throws -> Answer {
        try await send(method, origin + path, ["Authorization": "Bearer \(key.sign(uid: uid))"], body)
    }

    /// - Parameter uid: the user that the key acts for.
    func call(_ method: String, _ path: String, key: String, for uid: String?, body: Body? = nil)
        async throws -> Answer
    {
        var headers = ["Authorization": "Bearer \(key)"]
        headers["Kith-User"] = uid
        return try await send(method, origin + path, headers, body)
    }

    func call(_ method: String, _ path: String) async throws -> Answer {
        try await send(method, origin + path)
    }

    /// Opens a connection.
    /// - Parameter receiving: how many bytes its system keeps until they are read; nil: as many as it likes.
    func connect(receiving: Int32? = nil) throws -> RawConnection {
        let port = URL(string: origin)?.port.flatMap(UInt16.init)
        return try RawConnection(to: try #require(port), receiving: receiving)
    }

    /// The samples of a metric in `/metrics`, by their labels.
    func metric(_ name: String) async throws -> Int {
        let text = try PrometheusText(try await ops("/metrics").text)
        return Int(try #require(text.samples[name]))
    }

    func ops(_ path: String) async throws -> Answer { try await send("GET", opsOrigin + path) }

    private func send(
        _ method: String, _ url: String, _ headers: [String: String] = [:], _ body: Body? = nil
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: url)))
        request.httpMethod = method
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        if let body {
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(body.json.utf8)
        }
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        return Answer(status: status, text: String(decoding: data, as: UTF8.self))
    }
}
