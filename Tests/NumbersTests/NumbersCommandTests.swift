import Foundation
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kith
@testable import Numbers

/// `kith numbers`.
@Suite(.inTurns) struct NumbersCommandTests {
    private func run(_ arguments: [String], _ app: TestApp) async throws -> KithCommand.Outcome {
        try await KithCommand(
            ["numbers"] + arguments, ["KITH_DATABASE_URL": app.app.config.database.url]
        ).run()
    }

    @Test func `it prints sums, shares and sparklines, or a table for spreadsheets`() async throws {
        try await TestApp.run { app in
            for (day, count, invited) in [("2026-11-20", 4, 3), ("2026-11-22", 8, 8)] {
                let parts = CountParts([
                    .cause: ["invited": Int64(invited), "alone": Int64(count - invited)]
                ])
                try await app.db.write.run(
                    """
                    INSERT INTO counts (subject, measure, day, count, parts)
                    VALUES ('', 'people.sign_ups', \(day)::date, \(Int64(count)), \(parts.json)::text::jsonb)
                    """)
            }
            let span = ["people.sign_ups", "--from", "2026-11-20", "--to", "2026-11-22"]
            let shown = try await run(span + ["--by", "cause"], app)
            #expect(
                shown.output == """
                    people.sign_ups: Somebody signed up, invited or alone.
                    2026-11-20 – 2026-11-22, UTC, per day, by cause

                    12  100%  ▅▁█  total
                    11   92%  ▄▁█  invited
                     1    8%  █▁▁  alone

                    """, "\(shown.output) \(shown.error)")
            let one = try await run(span + ["--only", "cause=invited", "--per", "month"], app)
            #expect(one.output.hasSuffix("\n\n11  100%  █  total\n"), "\(one.output) \(one.error)")
            let csv = try await run(span + ["--csv"], app)
            #expect(csv.output.contains("2026-11-22,8\r\n"), "\(csv.output)")
        }
    }

    @Test func `it lists measures, and says what cannot be asked`() async throws {
        try await TestApp.run { app in
            let list = try await run([], app)
            #expect(list.status == 0 && list.output.split(separator: "\n").count == Measure.all.count + 1)
            for (arguments, status, text) in [
                (["people.sign_up"], 1, "did you mean people.sign_ups?"), (["x"], 1, "kith numbers"),
                (["people.sign_ups", "--per", "hour"], 1, "`per` must be day, week or month"),
                (["people.sign_ups", "--only", "colour=red"], 1, "`colour` is no dimension"),
                (["people.sign_ups", "--only", "cause"], 2, "country=JP"),
                (["--per", "day"], 2, "need a measure"),
            ] {
                let outcome = try await run(arguments, app)
                #expect(
                    outcome.status == Int32(status) && outcome.error.contains(text), "\(outcome.error)")
            }
        }
    }
}
