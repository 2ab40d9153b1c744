import Postgres

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
    func outcome(among errors: any (GuardOutcome & Error).Type...) -> any Error {
        func find<Word: GuardOutcome & Error>(_ type: Word.Type) -> (any Error)? { outcome(type) }
        for type in errors {
            if let found = find(type) { return found }
        }
        return self
    }
}
