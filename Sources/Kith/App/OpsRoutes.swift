import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Postgres
import Synchronization

/// What operators and their machines ask, on an address of its own.
struct OpsRoutes {
    let db: Database
    let metrics: Metrics
    let connections: OpenConnections
    let readiness: Readiness

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("livez", use: live)
        router.get("readyz", use: ready)
        router.get("metrics", use: scrape)
        return router
    }

    /// `GET /livez`: the process runs; the database is not asked.
    @Sendable func live(_ request: Request, context: BasicRequestContext) -> Response {
        plain("ok\n")
    }

    /// `GET /readyz`: requests can be answered; 503 while draining, and without a database that has what they need. A
    /// server whose database answers, but not as fast as it is asked, is ready: taken out, it would leave its load to
    /// the next.
    @Sendable func ready(_ request: Request, context: BasicRequestContext) async -> Response {
        guard !readiness.isDraining else { return plain("draining\n", .serviceUnavailable) }
        do {
            let trouble = try await SchemaStore(db: db).trouble(before: readiness.trouble)
            readiness.note(trouble)
            return trouble.map { plain("\($0)\n", .serviceUnavailable) } ?? plain("ok\n")
        } catch PostgresError.overloaded where db.statistics.read.connectionsUp > 0 {
            return plain("busy\n")
        } catch {
            return plain("no database\n", .serviceUnavailable)
        }
    }

    /// `GET /metrics` in the text format of Prometheus.
    @Sendable func scrape(_ request: Request, context: BasicRequestContext) -> Response {
        var response = plain(
            metrics.text() + connections.metricsText() + db.metricsText()
                + LogOutput.standardError.metricsText())
        response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        return response
    }

    private func plain(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// Whether the process still takes new work.
final class Readiness: Sendable {
    private let draining = Atomic(false)
    private let noted = Mutex<String?>(nil)
    private let logger: Logger?

    init(logger: Logger? = nil) {
        self.logger = logger
    }

    var trouble: String? { noted.withLock { $0 } }

    /// What keeps requests from being answered, now; said when it changes.
    func note(_ now: String?) {
        let before = noted.withLock { trouble in
            defer { trouble = now }
            return trouble
        }
        guard now != before else { return }
        if let now {
            logger?.error("not ready", metadata: ["reason": "\(now)"])
        } else {
            logger?.notice("ready again")
        }
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() {
        draining.store(true, ordering: .relaxed)
    }
}
