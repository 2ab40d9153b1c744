import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kith
@testable import Numbers

/// The questions of docs/numbers.md.
@Suite(.inTurns) struct NumbersDocumentTests {
    /// What each command answers about `MeasureWorld`, as if it had been on 31 October: lines without their
    /// sparklines.
    private static let answers: [[String]] = [
        ["12 100% total", "8 67% invited", "4 33% alone"],
        ["12 100% total", "3 25% US", "2 17% JP", "7 58% (unknown)"],
        ["1 100% total", "1 100% spring", "8% of people.sign_ups (12)"],
        ["3 100% total", "3 100% spring"],
        [
            "count of first of previous", "1 100% invites.pages", "1 100% 100% invites.taps",
            "1 100% 100% invites.first_opens", "8 800% 800% invites.sign_ups",
            "8 800% 100% invites.friendships", "2 200% 25% invites.passed_on",
        ],
        ["8 100% total", "67% of people.sign_ups (12)"], ["1 100% total", "half within"],
        ["2 100% total", "25% of invites.sign_ups (8)"],
        ["– – total", "there is no total: whoever came in several days counts in each"],
        ["2 100% total", "2 100% 5.2"], ["5.2 [2]"],
        ["11 100% total", "8 73% autumn", "2 18% gems", "1 9% codes"],
        ["4 100% total", "4 100% flag"],
    ]

    @Test func `each of the ten questions about last month is answered`() async throws {
        let text = try RepositoryFile.read("docs/numbers.md")
        let section = try #require(
            text.components(separatedBy: "\n## ").first {
                $0.hasPrefix("Ten questions about last month\n")
            })
        let block = try #require(section.firstMatch(of: /```sh\n(.*?)```/.dotMatchesNewlines())).output
            .1
        let lines = block.split(separator: "\n").map(String.init)
        let questions = lines.filter { $0.hasPrefix("# ") }
        #expect(
            questions.map { $0.dropFirst(2).prefix { $0.isNumber } } == (1...10).map { "\($0)"[...] })
        let commands = lines.filter { !$0.hasPrefix("# ") }
        try await MeasureWorld.run { world in
            for table in ["counts", "client_versions"] {
                try await world.app.db.write.run(
                    "UPDATE \(.init(text: table)) SET day = '2026-10-31' WHERE day = current_date")
            }
            #expect(commands.count == Self.answers.count)
            for (command, expected) in zip(commands, Self.answers) {
                #expect(try await Self.answer(command, world) == expected, "\(command)")
            }
        }
    }

    private static func answer(_ command: String, _ world: MeasureWorld) async throws -> [String] {
        if let call = command.wholeMatch(of: /curl "\$KITH(\/\S+)" -H "Authorization: Bearer \$KEY"/) {
            let answer = try await world.app.asked("\(call.output.1)", world.shop.admin)
            return answer.objects("releases").map {
                "\($0["version"] ?? "") \($0["installations"] as? [Int] ?? [])"
            }
        }
        let words = command.split(separator: " ").map(String.init)
        try #require(words.starts(with: ["kith", "numbers"]), "\(command)")
        let outcome = try await KithCommand(
            Array(words.dropFirst()), ["KITH_DATABASE_URL": world.app.app.config.database.url]
        ).run()
        #expect(outcome.status == 0, "\(command): \(outcome.error)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        #expect(lines.first?.hasPrefix("\(words[2]): ") == true, "\(command): \(outcome.output)")
        // Further lines tell a time each. Whether something still grows depends on today.
        let told = lines.dropFirst(2).prefix { $0.split(separator: " ").first != "time" }
        return told.filter { !$0.hasPrefix("still growing") }.map { line in
            // How long something took depends on this machine.
            if line.hasPrefix("half within") { return "half within" }
            return line.split(separator: " ").filter { !$0.contains(/[▁-█·]/) }.joined(separator: " ")
        }
    }
}
