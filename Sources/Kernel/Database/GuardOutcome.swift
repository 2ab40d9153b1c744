package import Postgres

/// The words with which a guard (`require`) ends a batch. Then nothing of the batch was written.
package protocol GuardOutcome: RawRepresentable, Sendable where RawValue == String {}

extension Statement.Interpolation {
    package mutating func appendInterpolation(_ outcome: some GuardOutcome) {
        appendInterpolation(outcome.rawValue)
    }
}

package extension PostgresError {
    /// Returns the word that ended the batch. Nil if none of these did.
    func outcome<Word: GuardOutcome>(_: Word.Type = Word.self) -> Word? {
        guard case .server(let refusal) = self, refusal.sqlState == "KT001" else { return nil }
        return Word(rawValue: refusal.message)
    }

    /// Returns the error for the word that ended the batch, or this error if none of these did.
    func outcome(among errors: any (GuardOutcome & Error).Type...) -> any Error { outcome(among: errors) }

    fileprivate func outcome(among errors: [any (GuardOutcome & Error).Type]) -> any Error {
        func find<Word: GuardOutcome & Error>(_ type: Word.Type) -> (any Error)? { outcome(type) }
        for type in errors {
            if let found = find(type) { return found }
        }
        return self
    }
}

extension Lane {
    /// Runs the statements as one transaction, and returns the rows of each. Throws the error for the word
    /// that ended it.
    @discardableResult
    package func batch(
        _ statements: [Statement], throwing errors: any (GuardOutcome & Error).Type...
    ) async throws -> [Rows] {
        do {
            return try await batch(statements)
        } catch let error as PostgresError {
            throw error.outcome(among: errors)
        }
    }

    /// Runs the statements as one transaction, and returns the rows of each. Nil if the word ended it.
    @discardableResult
    package func batch<Word: GuardOutcome>(
        _ statements: [Statement], unless word: Word
    ) async throws -> [Rows]? {
        do {
            return try await batch(statements)
        } catch let error as PostgresError where error.outcome(Word.self)?.rawValue == word.rawValue {
            return nil
        }
    }
}
