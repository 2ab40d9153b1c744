import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// The examples of docs/experiments.md are what a server answers.
@Suite(.inTurns) struct ExperimentDocumentTests {
    /// The blocks of a language, in their order; a line that goes on is joined with the one before.
    private static func blocks(_ language: String, _ page: String) -> [String] {
        page.matches(of: /```(\w+)\n(.*?)```/.dotMatchesNewlines()).filter { $0.1 == language }.map {
            String($0.2)
        }
    }

    private static func joined(_ json: String) -> String {
        json.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined()
    }

    @Test func `the file, the call and the results are those of the page`() async throws {
        let page = try RepositoryFile.read("docs/experiments.md")
        let (files, answers) = (Self.blocks("yaml", page), Self.blocks("json", page).map(Self.joined))
        try #require(files.count == 2 && answers.count == 2)
        let call = try #require(Self.blocks("sh", page).first?.firstMatch(of: /\$KITH(\S+?)"/)?.1)
        try await TestApp.run { app in
            for file in files { try await app.apply(file) }
            let values = try await app.get(String(call), headers: app.keyed(.client))
            // It is of a key that each database has for itself.
            let mark = /"assignment":"[^"]+"/
            #expect(values.text.contains(mark))
            #expect(values.text.replacing(mark, with: "") == answers[0].replacing(mark, with: ""))

            for (variation, units, friends) in [("control", 5000, 500), ("short", 5010, 601)] {
                try await app.db.write.batch([
                    """
                    INSERT INTO exposures (unit, experiment, phase, variation)
                    SELECT user_id(\(variation) || n), 'page', 1, \(variation) FROM generate_series(1, \(units)) n
                    """,
                    """
                    INSERT INTO conversions (unit, experiment, phase, goal, reached_at)
                    SELECT user_id(\(variation) || n), 'page', 1, 'friend', now() FROM generate_series(1, \(friends)) n
                    """,
                ])
            }
            let results = try await app.get("/v1/admin/experiments/page/results", headers: app.keyed())
            // These have times.
            let shown = results.text.replacing(/"(days|history)":\[.*?\],(?="(experiment|leftOut)")/) {
                "\"\($0.1)\":[…],"
            }
            #expect(shown == answers[1])
        }
    }
}
