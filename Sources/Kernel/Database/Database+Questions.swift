package import Postgres
import Web

/// What people ask of very many rows, as numbers and long lists.
extension Database {
    /// How long the answer to a question may take, with those before it.
    package static var patience: Duration { .seconds(4) }

    /// Reads an answer in the lane of long work. One question is answered after the other, so that people
    /// leave a connection to what goes on by itself, as counting. Throws a `Problem` if the answer takes too
    /// long.
    package func question<Answer>(_ read: (Lane) async throws -> Answer) async throws -> Answer {
        do {
            return try await read(bulk.with(key: "questions").with(deadline: Self.patience))
        } catch PostgresError.timedOut {
            throw Problem.tooSlow
        }
    }

    /// Reads the rows of an answer where none waits for it (`QuestionThread`). Throws as `question` does.
    package func answers<Answer: Sendable>(
        to question: Statement, _ read: @Sendable (inout Row) throws -> Answer
    ) async throws -> [Answer] {
        let rows = try await self.question { try await $0.rows(question) }
        return try await QuestionThread.shared.run { try rows.map(read) }
    }
}
