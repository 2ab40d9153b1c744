import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import HTTPServer
@testable import Kernel
@testable import Kith
@testable import Web

/// `/livez`, `/readyz` and `/metrics`.
@Suite(.inTurns) struct OpsTests {
    private func ask(
        _ path: String, db: Database, metrics: Metrics = Metrics(), readiness: Readiness = Readiness()
    ) async throws -> TestApp.Answer {
        let connections = OpenConnections(limit: 7)
        _ = connections.take()
        let routes = OpsRoutes(db: db, metrics: metrics, connections: connections, readiness: readiness)
        return try await routes.answer(path)
    }

    @Test func `with a database it is alive and ready`() async throws {
        try await TestApp.run { app in
            for path in ["/livez", "/readyz"] {
                let answer = try await ask(path, db: app.db)
                #expect(answer.status == 200)
                #expect(answer.text == "ok\n")
            }
        }
    }

    @Test func `without a database it is alive and not ready`() async throws {
        let db = try Database(Database.Configuration(url: "postgresql:///none?host=/tmp/no-such-folder"))
        #expect(try await ask("/livez", db: db).status == 200)
        let answer = try await ask("/readyz", db: db)
        #expect(answer.status == 503)
        #expect(answer.text == "no database\n")
        let metrics = try await ask("/metrics", db: db)
        #expect(metrics.status == 200)
        #expect(try PrometheusText(metrics.text).samples["kith_ready"] == 0)
        await db.close()
    }

    @Test func `it is ready even while its database is overloaded`() async throws {
        var configuration = Database.Configuration(url: try await TestPostgres.shared.migratedDatabase())
        configuration.read = .init(
            connections: 1, deadline: .seconds(600), lockTimeout: .zero, waiting: 8)
        let db = try Database(configuration)
        let slow = Task { try await db.read.run("SELECT pg_sleep(600)") }
        try await waitUntil("it is under way") { db.statistics.read.inFlight == 1 }
        let others = (0..<100).map { _ in Task { try await db.read.run("SELECT 1") } }
        try await waitUntil("some are refused") { db.statistics.read.refused > 0 }
        let answer = try await ask("/readyz", db: db)
        #expect((answer.status, answer.text) == (200, "busy\n"))
        for task in [slow] + others { task.cancel() }
        await db.close()
    }

    @Test func `while draining it is alive and not ready`() async throws {
        try await TestApp.run { (app) async throws in
            let readiness = Readiness()
            readiness.drain()
            #expect(try await ask("/readyz", db: app.db, readiness: readiness).status == 503)
            #expect(try await ask("/livez", db: app.db, readiness: readiness).status == 200)
            let metrics = try await ask("/metrics", db: app.db, readiness: readiness)
            #expect(try PrometheusText(metrics.text).samples["kith_ready"] == 0)
        }
    }

    @Test func `an identity provider that cannot be asked is a metric`() async throws {
        let key = try TestApp.key.get()
        var config = key.config
        let metric = "\nkith_identity_provider_failing "
        let reached = try TokenVerifier(config, world: .live, logger: TestApp.quiet)
        #expect(await reached.metricsText().contains(metric + "0"), "nobody asked yet")
        let token = try await key.sign(uid: "u-ann")
        _ = try await reached.verify(token)
        #expect(await reached.metricsText().contains(metric + "0"))
        config.jwks = "/no/such/file"
        let away = try TokenVerifier(config, world: .live, logger: TestApp.quiet)
        await #expect(throws: Problem.self) { try await away.verify(token) }
        #expect(
            await away.metricsText().contains("\nkith_tokens_postponed_total 0"), "that is another reason")
        #expect(await away.metricsText().contains(metric + "1"))
    }

    @Test func `docs/alerts.yml asks for metrics that there are`() async throws {
        try await TestApp.run { app in
            let scraped = try PrometheusText(
                try await ask("/metrics", db: app.db, metrics: app.app.metrics).text
            ).families.keys
            // Those of webhooks and the like begin with their first endpoint.
            var sources = ""
            for room in [
                "Web/Metrics", "Kernel/Auth", "Counts", "Events", "Growth/Offers", "Growth/Rewards",
                "Webhooks",
            ] {
                let folder = RepositoryFile.root.appending(path: "Sources/\(room)")
                for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                    sources += try RepositoryFile.read("Sources/\(room)/\(file)")
                }
            }
            let asked = try RepositoryFile.read("docs/alerts.yml").matches(of: /kith_[a-z_]+/).map {
                String($0.output).replacing(/_seconds_(?:bucket|count)$/, with: "_seconds")
            }
            #expect(Set(asked).count > 10)
            for name in Set(asked) where !scraped.contains(name) {
                #expect(sources.contains("\"\(name)\""), "\(name)")
            }
        }
    }

    @Test func `metrics are Prometheus text from the first scrape`() async throws {
        try await TestApp.run { app in
            _ = try PrometheusText(try await ask("/metrics", db: app.db, metrics: app.app.metrics).text)
            try await app.signUp("ann")
            try await app.signUp("bob", invite: TestApp.link("ann", "u-ann"))
            _ = try await app.post("/v1/signup", as: "u-cat", ["username": "ann"])
            for path in ["/users/ann?invitedBy=u-ann", "/users/ann%22%5C%0A", "/nothing", "/v1/friends"] {
                _ = try await app.get(path, as: "u-ann")
            }
            _ = try await app.call(.delete, "/v1/signup", as: "u-ann")
            let answer = try await ask("/metrics", db: app.db, metrics: app.app.metrics)
            #expect(answer.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            let metrics = try PrometheusText(answer.text)
            #expect(
                metrics.families == [
                    "kith_build_info": "gauge", "kith_ready": "gauge",
                    "kith_http_request_duration_seconds": "histogram", "kith_landings_total": "counter",
                    "kith_database_statements_total": "counter", "kith_database_waiting": "gauge",
                    "kith_database_in_flight": "gauge", "kith_database_connections": "gauge",
                    "kith_database_connects_total": "counter", "kith_database_group_size": "histogram",
                    "kith_database_errors_total": "counter", "kith_database_refused_total": "counter",
                    "kith_database_connect_failures_total": "counter",
                    "kith_database_deadlines_total": "counter",
                    "kith_database_retried_total": "counter", "kith_rate_limited_total": "counter",
                    "kith_http_connections": "gauge", "kith_http_connections_limit": "gauge",
                    "kith_http_connections_refused_total": "counter",
                    "kith_http_connections_slow_total": "counter", "kith_http_accept_errors_total": "counter",
                    "kith_log_dropped_total": "counter", "kith_taps_total": "counter",
                    "kith_clicks_total": "counter", "kith_policy_answers_total": "counter",
                ])
            #expect(metrics.samples["kith_ready"] == 1)
            let build =
                "version=\"\(BuildInfo.version)\",commit=\"\(BuildInfo.commit)\",migration=\"\(BuildInfo.migration)\""
            #expect(metrics.samples["kith_build_info{\(build)}"] == 1)
            #expect(metrics.samples["kith_http_connections"] == 1)
            #expect(metrics.samples["kith_http_connections_limit"] == 7)
            let signups = #"kith_http_request_duration_seconds_count{method="POST",route="/v1/signup""#
            #expect(metrics.samples[#"\#(signups),status="201"}"#] == 2)
            #expect(metrics.samples[#"\#(signups),status="409"}"#] == 1)
            let wrong = #"kith_http_request_duration_seconds_count{method="other",route="/v1/signup""#
            #expect(metrics.samples[#"\#(wrong),status="405"}"#] == 1)
            #expect(metrics.samples[#"kith_database_errors_total{lane="write",class="KT"}"#] == 1)
            #expect(metrics.samples[#"kith_database_connections{lane="landings"}"#] == 1)
            for lane in ["landings", "write"] {
                let statements = metrics.samples["kith_database_statements_total{lane=\"\(lane)\"}"]
                #expect(try #require(statements) > 0)
            }
        }
    }
}
