import Foundation
import TestSupport
import Testing

@testable import AppTesting
@testable import Counts
@testable import Kith
@testable import Numbers

/// The questions of docs/numbers.md.
@Suite(.inTurns) struct NumbersDocumentTests {
    @Test func `each of the ten questions about last month can be asked`() async throws {
        let text = try RepositoryFile.read("docs/numbers.md")
        let section = try #require(
            text.components(separatedBy: "\n## ").first { $0.hasPrefix("Ten questions about last month\n") })
        let block = try #require(section.firstMatch(of: /```sh\n(.*?)```/.dotMatchesNewlines())).output.1
        let lines = block.split(separator: "\n")
        let questions = lines.filter { $0.hasPrefix("# ") }
        #expect(questions.map { $0.dropFirst(2).prefix { $0.isNumber } } == (1...10).map { "\($0)"[...] })
        let commands = lines.filter { !$0.hasPrefix("# ") }
        #expect(commands.count >= 10)
        try await TestApp.run { app in
            for command in commands {
                if let call = command.wholeMatch(of: /curl "\$KITH(\/\S+)" -H "Authorization: Bearer \$KEY"/)
                {
                    let answer = try await app.get("\(call.output.1)", headers: app.keyed())
                    #expect(answer.status == 200, "\(command): \(answer.text)")
                } else {
                    let words = command.split(separator: " ").map(String.init)
                    try #require(words.starts(with: ["kith", "numbers"]), "\(command)")
                    let outcome = try await KithCommand(
                        Array(words.dropFirst()), ["KITH_DATABASE_URL": app.app.config.database.url]
                    ).run()
                    #expect(outcome.status == 0, "\(command): \(outcome.error)")
                    #expect(outcome.output.hasPrefix("\(words[2]): "), "\(command): \(outcome.output)")
                }
            }
        }
    }
}
