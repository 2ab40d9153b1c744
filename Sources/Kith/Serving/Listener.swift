import Foundation
import HTTPServer
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Web

/// Serves at one address, in place of Hummingbird's `Application`, which would make a logger and an id for
/// each request. `HostResponder` makes these, by rules of its own.
struct Listener<Responder: HTTPResponder>: Service
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let responder: Responder
    let address: HostPort
    /// The setting with the address, for errors.
    let setting: String
    let connections: OpenConnections
    var accessLog: AccessLog?
    var proxies = TrustedProxies()
    let logger: Logger
    /// Called once the address accepts requests.
    var onServing: @Sendable () async -> Void = {}

    func run() async throws {
        do {
            try await server().run()
            guard Task.isShuttingDownGracefully || Task.isCancelled else {
                throw failure("it stopped accepting connections")
            }
        } catch let error as ListenError {
            throw error
        } catch let error as IOError {
            throw failure(String(cString: strerror(error.errnoCode)))
        } catch let error as SocketAddressError.UnknownHost {
            throw failure("unknown host \(error.host)")
        } catch let error where !(error is CancellationError) {
            throw failure("\(error)")
        }
    }

    private func server() throws -> any Service {
        let builder = HTTPServerBuilder { responder in
            ConnectionChannel(
                responder: responder, limits: ConnectionLimits(), connections: connections,
                accessLog: accessLog, proxies: proxies)
        }
        return try builder.buildServer(
            configuration: .init(address: .hostname(address.host, port: address.port), backlog: 4096),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ) { request, writer, channel in
            var response = await answer(to: request, on: channel)
            response.headers[.date] = HTTPDate.now
            try await writer.write(response: response.head, body: response.body)
        } onServerRunning: { listener in
            await AcceptPause.add(to: listener, connections)
            await onServing()
        }
    }

    private func answer(to request: Request, on channel: any Channel) async -> Response {
        let source = ApplicationRequestContextSource(channel: channel, logger: logger)
        do {
            return try await responder.respond(to: request, context: .init(source: source))
        } catch {
            // `ErrorMiddleware` answers errors of the product's routes, and those of operators throw none.
            logger.error("request failed", metadata: ["error": "\(String(reflecting: error))"])
            return Response(status: .internalServerError)
        }
    }

    private func failure(_ reason: String) -> ListenError {
        ListenError(address: "\(setting), \(address)", reason: reason)
    }
}

private struct ListenError: Error, CustomStringConvertible {
    let address: String
    let reason: String

    var description: String { "cannot listen on \(address): \(reason)" }
}
