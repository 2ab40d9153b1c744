import Postgres

/// The words with which a guard, a `require`, ends a batch: then nothing of it was written.
protocol GuardOutcome: RawRepresentable, Sendable where RawValue == String {}

extension Statement.Interpolation {
    mutating func appendInterpolation(_ outcome: some GuardOutcome) {
        appendInterpolation(outcome.rawValue)
    }
}

extension PostgresError {
    /// The word that ended the batch; nil if none of these did.
    func outcome<Outcome: GuardOutcome>(_: Outcome.Type = Outcome.self) -> Outcome? {
        guard case .server(let refusal) = self, refusal.sqlState == "KT001" else { return nil }
        return Outcome(rawValue: refusal.message)
    }

    /// The error for the word that ended the batch, or this error if none of these did.
    func outcome(among errors: any (GuardOutcome & Error).Type...) -> any Error {
        func find<Outcome: GuardOutcome & Error>(_ type: Outcome.Type) -> (any Error)? { outcome(type) }
        for type in errors {
            if let found = find(type) { return found }
        }
        return self
    }
}
