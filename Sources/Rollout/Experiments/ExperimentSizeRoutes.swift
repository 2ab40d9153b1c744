package import Hummingbird
package import Kernel
import Web

/// The route `/v1/admin/experiments/size`: how long an experiment will need.
package struct ExperimentSizeRoutes {
    let store: ExperimentSizeStore

    package init(store: ExperimentSizeStore) { self.store = store }

    package static let parameters = ["rate", "lift", "shares", "daily", "coverage"]

    /// `GET …?rate&lift&shares&daily&coverage` returns how many units each variation needs, and in how many
    /// days they come.
    @Sendable package func show(
        _ request: Request, context: AdminContext
    ) async throws -> ExperimentSizeResponse {
        let query = request.query
        let rate = try Self.number(query, "rate", 0.01...99.99, "a number from 0.01 to 99.99")
        let lift = try Self.number(query, "lift", -99.99...1_000_000, "a number such as 20 or -5")
        guard let rate else {
            throw Problem.invalid("rate", "is required: how many per cent reach the goal now")
        }
        guard let lift else {
            throw Problem.invalid("lift", "is required: the smallest change that matters")
        }
        let other = rate * (1 + lift / 100)
        guard abs(lift) >= 0.1, other > 0, other < 100 else {
            throw Problem.invalid(
                "lift", "must be 0.1 or more up or down, and lead to a rate between 0 and 100")
        }
        let shares = try Self.shares(query)
        let coverage =
            try Self.number(query, "coverage", 0.01...100, "a number from 0.01 to 100") ?? 100
        let daily = try Self.daily(query)
        let yesterday = daily == nil ? try await store.yesterday() : nil
        return ExperimentSizeResponse(
            ExperimentSize(from: rate / 100, to: other / 100, shares: shares), rate: rate, lift: lift,
            shares: shares, day: yesterday?.day,
            daily: Double(daily ?? yesterday?.people ?? 0) * coverage / 100)
    }

    /// Reads a number with at most two decimals. Nil if it is absent.
    private static func number(
        _ query: Query, _ name: String, _ range: ClosedRange<Double>, _ form: String
    ) throws(Problem) -> Double? {
        guard let text = try query.value(name) else { return nil }
        guard let number = number(text), range.contains(number) else {
            throw .invalid(name, "must be \(form), with at most two decimals")
        }
        return number
    }

    private static func number(_ text: String) -> Double? {
        text.wholeMatch(of: /-?[0-9]{1,7}(\.[0-9]{1,2})?/) == nil ? nil : Double(text)
    }

    /// Reads `shares`: two halves if it is absent.
    private static func shares(_ query: Query) throws(Problem) -> [Double] {
        guard let text = try query.value("shares") else { return [50, 50] }
        let parts = text.split(separator: ",", maxSplits: 10, omittingEmptySubsequences: false)
        let shares = parts.compactMap { number(String($0)) }.filter { (0.01...100).contains($0) }
        guard shares.count == parts.count, (2...10).contains(parts.count) else {
            throw .invalid("shares", "must be 2 to 10 numbers from 0.01 to 100, with commas between them")
        }
        return shares
    }

    private static func daily(_ query: Query) throws(Problem) -> Int? {
        guard let text = try query.value("daily") else { return nil }
        guard let daily = Int(text), (0...1_000_000_000).contains(daily) else {
            throw .invalid("daily", "must be a number from 0 to 1000000000")
        }
        return daily
    }
}
