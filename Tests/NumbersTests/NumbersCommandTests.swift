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

    private func kith(
        _ arguments: [String], _ settings: [String: String]
    ) async throws -> KithCommand.Outcome { try await KithCommand(arguments, settings).run() }

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
            #expect(one.output.contains("\n\n11  100%  █  total\n"), "\(one.output) \(one.error)")
            for part in ["--link=https://go.example.com/", "--domain=https://go.example.com"] {
                let none = try await run(["links.clicks", part], app)
                #expect(none.output.contains("\n0  "), "\(none.output) \(none.error)")
            }
            let csv = try await run(span + ["--csv"], app)
            #expect(csv.output.contains("2026-11-22,8\r\n"), "\(csv.output)")
        }
    }

    @Test func `a key is enough to ask a server, which answers as its database does`() async throws {
        let url = try await TestPostgres.shared.migratedDatabase()
        let server = try await KithServer.start([
            "KITH_DATABASE_URL": url, "KITH_TIME_ZONE": "Asia/Tokyo", "KITH_NUMBERS_LEAST": "5",
        ])
        let db = try Database(Database.Configuration(url: url))
        let parts = CountParts([.country: ["JP": 9, "FR": 2], .campaign: ["a,b\nc": 3, "春の祭り": 8]])
        try await db.write.run(
            """
            INSERT INTO counts (subject, measure, day, count, parts)
            VALUES ('', 'people.sign_ups', '2026-11-20', 11, \(parts.json)::text::jsonb),
                   ('', 'cohorts.joined_7', '2026-11-20', 4, NULL)
            """)
        await db.close()
        func key(_ scope: String) async throws -> String {
            try await kith(
                ["key", "create", "--name", "x", "--scope", scope], ["KITH_DATABASE_URL": url]
            ).output.trimmingCharacters(in: .newlines)
        }
        let (viewer, support) = try await (key("viewer"), key("support"))
        let span = ["--from", "2026-11-20", "--to", "2026-11-21"]
        for arguments in [
            ["people.sign_ups", "--by", "country"], ["people.sign_ups", "--by", "utm_campaign"],
            ["people.sign_ups", "--only", "utm_campaign=a,b\nc"], ["cohorts.joined_30"], ["invites.funnel"],
            ["invites.funnel", "--only", "platform=ios"], ["people.sign_ups", "--csv"], ["people.accounts"],
            ["invites.time_to_share"], ["rewards.owed"],
        ] {
            let local = try await kith(
                ["numbers"] + arguments + span, ["KITH_DATABASE_URL": url, "KITH_NUMBERS_LEAST": "5"])
            let remote = try await kith(
                ["numbers"] + arguments + span + ["--server", server.origin],
                ["KITH_KEY": viewer, "KITH_DATABASE_URL": ""])
            #expect(remote.status == 0 && remote.output == local.output, "\(remote) \(local)")
            #expect(arguments.contains("--csv") || remote.output.contains(", Asia/Tokyo"), "\(remote)")
        }
        let campaigns = try await kith(
            ["numbers", "people.sign_ups", "--by", "utm_campaign"] + span, ["KITH_DATABASE_URL": url])
        #expect(
            campaigns.output.contains("█▁  春の祭り\n 3   27%  █▁  a,b\\u000ac\n"), "\(campaigns.output)")
        let growing = try await kith(["inviters", "--server", server.origin], ["KITH_KEY": support])
        #expect(growing.output.hasPrefix("Nobody signed up"), "\(growing)")
        for (arguments, key, text) in [
            (["people.sign_up"], viewer, "as people.sign_ups"),
            (["people.sign_ups", "--per", "hour"], viewer, "must be day, week or month"),
            (["people.sign_ups"], "", "--key-file"), (["people.sign_ups"], support, "(403)"),
        ] {
            let wrong = try await kith(
                ["numbers"] + arguments + ["--server", server.origin], ["KITH_KEY": key])
            #expect(wrong.status == 1 && wrong.error.contains(text), "\(wrong)")
        }
        server.process.terminate()
        _ = await server.exit()
    }

    @Test func `it lists measures, and says what cannot be asked`() async throws {
        try await TestApp.run { app in
            let list = try await run([], app)
            #expect(list.status == 0 && list.output.split(separator: "\n").count == Measure.all.count + 1)
            for (arguments, status, text) in [
                (["people.sign_up"], 1, "as people.sign_ups"), (["x"], 1, "kith numbers"),
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
