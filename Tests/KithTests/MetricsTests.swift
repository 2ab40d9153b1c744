import HTTPTypes
import Hummingbird
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith
@testable import Web

/// The metrics, and that Prometheus can read their text.
@Suite(.inTurns) struct MetricsTests {
    @Test func `requests are counted by route and status, not by path`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            for name in ["ann", "nobody", "%ff", "%F0%9F%98%80"] {
                _ = try await app.get("/users/\(name)?invitedBy=u-ann")
                _ = try await app.get("/v1/usernames/\(name)", as: "u-ann")
            }
            for path in ["/no/such/path", "/another/one/here"] { _ = try await app.get(path) }
            let text = try PrometheusText(app.app.metrics.text())
            let requests = "kith_http_request_duration_seconds_count"
            let landing = #"{method="GET",route="/users/{username}",status="200"}"#
            #expect(text.samples[requests + landing] == 1)
            #expect(text.samples[requests + landing.replacing("200", with: "404")] == 3)
            #expect(
                text.samples[requests + #"{method="GET",route="/v1/usernames/{username}",status="200"}"#]
                    == 3)
            #expect(text.samples[requests + #"{method="GET",route="NotFound",status="404"}"#] == 2)
            #expect(text.samples.keys.allSatisfy { !$0.contains("nobody") })
        }
    }

    @Test func `methods that no route has add one series to each route, however many there are`() async throws
    {
        try await TestApp.run { app in
            let routes = Set(app.app.router().routes.map(\.path.description))
            let paths = routes.map { $0.replacing(/\{[^}]*\}|\*\*/, with: "x") } + ["/no/such/path"]
            let odd = ["PROPFIND", "LOCK", "OPTIONS", "TRACE", "M-SEARCH"].map { HTTPRequest.Method($0) }
            for method in try odd.map({ try #require($0) }) {
                for path in paths { _ = try await app.call(method, path) }
            }
            for method in [HTTPRequest.Method.delete, .patch, .post, .put] {
                #expect(try await app.call(method, "/users/x").status == 405)
            }
            let text = try PrometheusText(app.app.metrics.text())
            let requests = "kith_http_request_duration_seconds_count"
            let counts = text.samples.filter { $0.key.hasPrefix(requests) }
            #expect(counts.count <= routes.count + 1)
            #expect(counts.keys.allSatisfy { $0.contains(#"method="other""#) })
            #expect(text.samples[requests + #"{method="other",route="NotFound",status="404"}"#] == 5)
            #expect(text.samples[requests + #"{method="other",route="/users/{username}",status="405"}"#] == 9)
        }
    }

    @Test func `landings are counted by the row that decided them`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            try await app.rename("u-ann", to: "anna")
            for query in ["anna?invitedBy=u-ann", "ann?invitedBy=u-ann", "anna?invitedBy=x", "anna", "x"] {
                _ = try await app.get("/users/\(query)")
            }
            let text = try PrometheusText(app.app.metrics.text())
            let rows = [
                (1, "current_name", 1), (2, "past_name", 1), (4, "link_mismatch", 0), (7, "unknown_uid", 1),
                (8, "name_only", 1), (9, "not_found", 1),
            ]
            for (row, outcome, count) in rows {
                #expect(
                    text.samples["kith_landings_total{row=\"\(row)\",outcome=\"\(outcome)\"}"]
                        == Double(count))
            }
        }
    }

    @Test func `a duration falls into the first bucket whose bound it does not exceed`() {
        var histogram = Histogram()
        for milliseconds in [0, 0.5, 0.51, 10_000, 10_001] {
            histogram.add(.nanoseconds(Int64(milliseconds * 1e6)))
        }
        #expect(histogram.buckets.reduce(0, +) == 5)
        #expect(histogram.buckets.first == 2)
        #expect(histogram.buckets[1] == 1)
        #expect(histogram.buckets.suffix(2) == [1, 1])
        #expect(abs(histogram.sum - 20.00201) < 1e-9)
    }

    @Test func `a label may contain anything`() throws {
        var text = MetricsText()
        text.family("odd", .gauge, "Odd.")
        text.sample("odd", [("label", "back\\slash \"quote\" new\nline {brace},花")], 1)
        let read = try PrometheusText(text.text)
        #expect(read.samples == [#"odd{label="back\\slash \"quote\" new\nline {brace},花"}"#: 1])
    }

    @Test(arguments: [
        "a 1\n", "# TYPE a counter\n# HELP a x\na 1\n", "# HELP a x\n# TYPE a counter\na 1",
        "# HELP a x\n# TYPE a counter\na one\n", "# HELP a x\n# TYPE a counter\na 1\na 1\n",
        "# HELP a x\n# TYPE a counter\nb 1\n", "# HELP a x\n# TYPE a counter\na{b=c} 1\n",
        "# HELP a x\n# TYPE a counter\na{b=\"\"c\"} 1\n", "# HELP a x\n# TYPE a counter\na -1\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 1\na_sum 1\na_count 1\n",
    ])
    func `the reader of these tests is strict`(text: String) {
        #expect(throws: PrometheusText.Mistake.self) { try PrometheusText(text) }
    }
}
