/// Several reads of one caller.
extension Lane {
    /// Runs reads in one round trip, without a transaction: each sees what was committed when it runs.
    ///
    /// Returns the rows of each; an error names its statement by `statementIndex`.
    public func together(_ reads: [Statement]) async throws -> [Rows] {
        guard !reads.isEmpty else { return [] }
        if let rows = try await fromStandby({ try await $0.together(reads) }) { return rows }
        let request = Request(kind, reads, key: key, deadline: deadline)
        let last = try await inbox.answer(to: request)
        // A connection does not put the rows of a single read into `results`.
        return reads.count > 1 ? request.results : last.map { [$0] } ?? []
    }
}
