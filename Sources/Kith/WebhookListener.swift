import Foundation
import HTTPTypes
import Hummingbird
package import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals
import Web
import Webhooks

/// The command `kith webhooks listen`. It takes events as a backend would, and says for each whether its
/// signature is valid.
package struct WebhookListener: Sendable {
    let secret: WebhookSecret?
    private(set) var logger: Logger
    /// The tolerance of timestamps, as in libraries of Standard Webhooks.
    private static let tolerance: TimeInterval = 300

    /// - Parameter secret: the secret `whsec_…`. Nil if signatures are not checked.
    package init?(secret: String?, logger: Logger) {
        self.secret = secret.flatMap(WebhookSecret.init)
        self.logger = logger
        // Connections that are open when it ends are not errors. Whatever keeps it from serving is thrown.
        self.logger.logLevel = .critical
        if secret != nil, self.secret == nil { return nil }
    }

    /// Serves on this machine until Ctrl-C, or until `count` events have come.
    /// - Parameters:
    ///   - port: the port, or 0 for any free one.
    ///   - begun: is called with the port once it serves.
    ///   - tell: gets a line for each event.
    package func run(
        port: Int, count: Int? = nil, begun: @escaping @Sendable (_ port: Int) -> Void = { _ in },
        tell: @escaping @Sendable (String) -> Void
    ) async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let router = Router()
        // The second matches every path that the first does not.
        for path: RouterPath in ["/", "**"] {
            router.post(path) { request, _ in
                let body = try await request.body.collect(upTo: 1 << 20)
                let (isGood, line) = line(request.headers, Array(body.readableBytesView), at: Date())
                tell(line)
                arrived.yield()
                return HTTPResponse.Status(code: isGood ? 204 : 401)
            }
        }
        let app = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { begun($0.localAddress?.port ?? port) }, logger: logger)
        let services = ServiceGroup(
            services: [app], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { arrived.finish() }
                do {
                    try await services.run()
                } catch let error as IOError {
                    throw WebhookListenerError(port: port, reason: String(cString: strerror(error.errnoCode)))
                }
            }
            if let count {
                for await _ in arrivals.prefix(count) {}
                await services.triggerGracefulShutdown()
            }
            try await group.waitForAll()
        }
    }

    /// Returns what to print, in one line. It includes the body only if that may be believed, since anybody
    /// on this machine may post.
    func line(_ headers: HTTPFields, _ body: [UInt8], at now: Date) -> (isGood: Bool, text: String) {
        let (isGood, verdict) = verdict(headers, body, at: now)
        let text = isGood ? "\(verdict)  \(String(decoding: body, as: UTF8.self))" : verdict
        return (isGood, text.visible)
    }

    private func verdict(_ headers: HTTPFields, _ body: [UInt8], at now: Date) -> (isGood: Bool, text: String)
    {
        func header(_ name: String) -> String? {
            HTTPField.Name(name).flatMap { headers[values: $0].count == 1 ? headers[$0] : nil }
        }
        guard let id = header("webhook-id"), let given = header("webhook-timestamp"),
            let seconds = Int64(given),
            let signatures = header("webhook-signature")
        else { return (false, "unsigned") }
        guard let secret else { return (true, "unchecked  \(id)") }
        guard secret.signed(signatures, id: id, timestamp: seconds, body: body) else {
            return (false, "forged  \(id)")
        }
        guard abs(now.timeIntervalSince1970 - Double(seconds)) <= Self.tolerance else {
            return (false, "old  \(id)")
        }
        return (true, "signed  \(id)")
    }
}

/// The error that the port is not available.
struct WebhookListenerError: Error, CustomStringConvertible {
    let port: Int
    let reason: String

    var description: String {
        "cannot listen on 127.0.0.1:\(port): \(reason). Name another port with --port"
    }
}
