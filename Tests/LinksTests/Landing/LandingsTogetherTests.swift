import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting

/// Visitors who open links at once, and so share statements.
@Suite(.inTurns) struct LandingsTogetherTests {
    private struct Answer: Equatable {
        var status: Int
        var location: String?
    }

    private static func answer(_ app: TestApp, _ path: String) async throws -> Answer {
        let answer = try await app.get(path)
        return Answer(status: answer.status, location: answer.headers[.location])
    }

    @Test func `each gets what they would get alone, though names and uids of others are read with theirs`()
        async throws
    {
        try await TestApp.run { app in
            // Ann had Bob's name, Bob had Cleo's; Dan severed the old one.
            try await app.signUp("bob", uid: "u-ann")
            try await app.rename("u-ann", to: "ann")
            try await app.age("u-ann", hours: 24 * 91)
            try await app.signUp("cleo", uid: "u-bob")
            try await app.rename("u-bob", to: "robert")
            try await app.age("u-bob", hours: 24 * 91)
            try await app.rename("u-bob", to: "bob")
            try await app.signUp("cleo")
            try await app.signUp("daniel", uid: "u-dan")
            try await app.rename("u-dan", to: "dan", oldLinks: "sever")
            let names = ["ann", "bob", "robert", "cleo", "dan", "daniel", "nobody"]
            let links = names.flatMap { name in
                ["u-ann", "u-bob", "u-cleo", "u-dan", "u-none"].map { "/users/\(name)?invitedBy=\($0)" }
            }
            var alone: [String: Answer] = [:]
            for link in links { alone[link] = try await Self.answer(app, link) }
            #expect(Set(alone.values.map(\.status)) == [200, 302, 404])
            let together = try await withThrowingTaskGroup(of: (String, Answer).self) { group in
                for link in (0..<8).flatMap({ _ in links.shuffled() }) {
                    group.addTask { (link, try await Self.answer(app, link)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for (link, answer) in together { #expect(answer == alone[link], "\(link)") }
        }
    }
}
