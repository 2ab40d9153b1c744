import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Rollout

/// How long an experiment will need.
@Suite(.inTurns) struct ExperimentSizeTests {
    /// What `power.prop.test(p1, p2, power = 0.8)` of R 4 answers.
    @Test(arguments: [
        (0.01, 0.012, 42_693), (0.05, 0.06, 8158), (0.1, 0.12, 3841), (0.2, 0.25, 1094), (0.25, 0.4, 152),
        (0.5, 0.75, 58), (0.6, 0.7, 356), (0.06, 0.05, 8158),
    ])
    func `two equal variations need what R says`(rate: Double, other: Double, units: Int) {
        #expect(ExperimentSize(from: rate, to: other, shares: [50, 50]).units == [units, units])
        #expect(ExperimentSize(from: rate, to: other, shares: [1, 1]).units == [units, units])
    }

    @Test func `unequal shares need more, and several variations share the error`() {
        let sizes = [[90, 10], [10, 90], [50, 50], [25, 25, 50]].map {
            ExperimentSize(from: 0.1, to: 0.12, shares: $0).units
        }
        #expect(sizes[0] == [18_691, 2077] && sizes[1] == [2186, 19_668])
        #expect(sizes[2] == [3841, 3841])
        #expect(ExperimentSize(from: 0.1, to: 0.12, shares: [1, 1, 1]).units == [4652, 4652, 4652])
        #expect(sizes[3] == [4652, 4652, 9303])
    }

    @Test(arguments: [(0.5, 0.0), (0.975, 1.959964), (0.9, 1.281552), (0.8, 0.841621), (0.0005, -3.290527)])
    func `the scores of the normal distribution are those of its tables`(part: Double, score: Double) {
        #expect(abs(NormalDistribution.score(part) - score) < 1e-6)
    }

    @Test func `a call says how many units and days, by those who were active yesterday`() async throws {
        try await TestApp.run { app in
            let admin = try await app.keyed(.viewer)
            func ask(_ query: String) async throws -> TestApp.Answer {
                try await app.get("/v1/admin/experiments/size?\(query)", headers: admin)
            }
            let nobody = try await ask("rate=5&lift=20")
            #expect(nobody.json["days"] == nil && nobody.json["units"] as? Int == 16_316, "\(nobody.text)")
            try await app.db.write.run(
                """
                INSERT INTO counts (subject, measure, day, count)
                VALUES ('', 'people.active', (now() AT TIME ZONE 'UTC')::date - 1, 1000),
                       ('', 'people.active', (now() AT TIME ZONE 'UTC')::date, 7),
                       ('', 'people.active', (now() AT TIME ZONE 'UTC')::date - 2, 7)
                """)
            let half = try await ask("rate=5&lift=20&coverage=50")
            #expect(half.json["daily"] as? Double == 500 && half.json["days"] as? Int == 33, "\(half.text)")
            #expect(half["day"] != nil)
            let shares = "0.01\(String(repeating: ",100", count: 9))"
            let long = try await ask("rate=0.01&lift=0.1&shares=\(shares)&daily=1&coverage=0.01")
            #expect(long.status == 200 && long.json["days"] as? Int == 1_000_000_000, "\(long.text)")
            let told = try await ask("rate=5&lift=-20&shares=80,20&daily=2000")
            #expect(told.json["day"] == nil && told.json["daily"] as? Double == 2000, "\(told.text)")
        }
    }

    @Test(arguments: [
        ("lift=20", "rate"), ("rate=5", "lift"), ("rate=0&lift=20", "rate"), ("rate=nan&lift=20", "rate"),
        ("rate=5.001&lift=20", "rate"), ("rate=100&lift=20", "rate"), ("rate=5&lift=0", "lift"),
        ("rate=60&lift=70", "lift"), ("rate=5&lift=-100", "lift"), ("rate=5&lift=20&shares=50", "shares"),
        ("rate=5&lift=20&shares=50,", "shares"), ("rate=5&lift=20&shares=100,0", "shares"),
        ("rate=5&lift=20&shares=9,9,9,9,9,9,9,9,9,9,9", "shares"), ("rate=5&lift=20&daily=-1", "daily"),
        ("rate=5&lift=20&daily=1.5", "daily"), ("rate=5&lift=20&coverage=0", "coverage"),
        ("rate=5&lift=20&coverage=101", "coverage"),
    ])
    func `a parameter that makes no sense is named`(query: String, field: String) async throws {
        try await TestApp.run { app in
            let answer = try await app.get(
                "/v1/admin/experiments/size?\(query)", headers: try await app.keyed())
            #expect(answer.status == 400 && answer["field"] == field, "\(query): \(answer.text)")
        }
    }
}
