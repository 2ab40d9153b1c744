import Counts
import Events
import Growth
import HTTPServer
import HTTPTypes
import Hummingbird
import Kernel
import Logging
import NIOCore
import Pictures
import Postgres
import Synchronization
import Web
import Webhooks

/// The operators' routes, on an address of their own.
struct OpsRoutes {
    let db: Database
    let metrics: Metrics
    var tokens: TokenVerifier?
    var cards: CardRenderer?
    var webhooks: WebhookMetrics?
    var offers: OfferMetrics?
    var rewards: RewardMetrics?
    var counts: CountMetrics?
    var hosts: HostResponder?
    var events: EventFeed?
    let connections: OpenConnections
    let readiness: Readiness

    func router() -> Router<BasicRequestContext> {
        let router = Router()
        router.get("livez", use: live)
        router.get("readyz", use: ready)
        router.get("metrics", use: scrape)
        return router
    }

    /// `GET /livez` answers 200 while the process runs, without asking the database.
    @Sendable func live(_ request: Request, context: BasicRequestContext) -> Response {
        plain("ok\n")
    }

    /// `GET /readyz` answers 200 if requests can be answered, and 503 while draining, or if the database
    /// lacks what they need. A server whose database is only too busy is ready: if a balancer took it out,
    /// its load would go to the next server.
    @Sendable func ready(_ request: Request, context: BasicRequestContext) async -> Response {
        guard !readiness.isDraining else { return plain("draining\n", .serviceUnavailable) }
        do {
            let trouble = try await SchemaStore(db: db).trouble(before: readiness.trouble)
            readiness.note(trouble)
            if hosts?.isReady == false {
                return plain("the applied apps are not read yet\n", .serviceUnavailable)
            }
            return trouble.map { plain("\($0)\n", .serviceUnavailable) } ?? plain("ok\n")
        } catch PostgresError.overloaded where db.statistics.read.connectionsUp > 0 {
            return plain("busy\n")
        } catch {
            return plain("no database\n", .serviceUnavailable)
        }
    }

    /// `GET /metrics` answers in the text format of Prometheus.
    @Sendable func scrape(_ request: Request, context: BasicRequestContext) async -> Response {
        let isReady = await ready(request, context: context).status == .ok
        let provider = await tokens?.metricsText() ?? ""
        var response = plain(
            BuildInfo.metricsText + Self.metricsText(isReady: isReady) + provider + metrics.text()
                + (cards?.metricsText() ?? "") + (webhooks?.metricsText() ?? "")
                + (offers?.metricsText() ?? "") + (rewards?.metricsText() ?? "")
                + (counts?.metricsText() ?? "")
                + connections.metricsText() + db.metricsText()
                + (events?.metricsText() ?? "") + LogOutput.standardError.metricsText())
        response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        return response
    }

    private static func metricsText(isReady: Bool) -> String {
        var text = MetricsText()
        text.family("kith_ready", .gauge, "Whether /readyz is 200.", isReady ? 1 : 0)
        return text.text
    }

    private func plain(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

/// Whether the process is draining, and the last known trouble of the database.
final class Readiness: Sendable {
    private let draining = Atomic(false)
    private let noted = Mutex<String?>(nil)
    private let logger: Logger?

    init(logger: Logger? = nil) {
        self.logger = logger
    }

    var trouble: String? { noted.withLock { $0 } }

    /// Notes what keeps requests from being answered, or nil if nothing does, and logs a change.
    func note(_ now: String?) {
        let before = noted.withLock { trouble in
            defer { trouble = now }
            return trouble
        }
        guard now != before else { return }
        if let now {
            logger?.error("not ready", metadata: ["advice": "\(now)"])
        } else {
            logger?.notice("ready again")
        }
    }

    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() {
        draining.store(true, ordering: .relaxed)
    }
}
