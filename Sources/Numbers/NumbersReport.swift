import Charts
package import Counts
package import Foundation
package import Web

/// The numbers of `kith numbers`, as text for a terminal.
package struct NumbersReport: Sendable {
    let store: NumbersStore
    let policy: CountPolicy

    package init(store: NumbersStore, policy: CountPolicy) {
        (self.store, self.policy) = (store, policy)
    }

    /// A line a measure: its name, and what one of it is.
    package static var measures: String {
        let all = Measure.all.map { [$0.name, $0.summary] } + [[Funnel.name, Funnel.summary]]
        return TextTable(all, leading: [0, 1]).text
    }

    /// Returns the measure of a name, or nil for the way of invites. Throws a `Problem` that names the
    /// nearest one if there is none.
    @discardableResult
    package static func measure(_ name: String) throws(Problem) -> Measure? {
        let names = Measure.all.map(\.name) + [Funnel.name]
        if names.contains(name) { return Measure.named(name) }
        let nearest = name.nearest(among: Set(names)).map { ", as \($0)" }
        throw .invalid("measure", "is none that `kith numbers` lists\(nearest ?? "")")
    }

    /// Returns what a server answered to `GET /v1/admin/numbers/{measure}`.
    /// - Parameter parameters: those of the call.
    package static func text(
        of name: String, _ parameters: [(name: String, value: String)], answer: Data
    ) throws -> String {
        guard name == Funnel.name else {
            return try JSONDecoder().decode(NumbersResponse.self, from: answer).text
        }
        return try JSONDecoder().decode(FunnelResponse.self, from: answer).text(parameters)
    }

    /// Returns the numbers of a measure. Throws a `Problem` that names a wrong parameter.
    /// - Parameter parameters: those of `GET /v1/admin/numbers/{measure}`.
    package func text(
        of name: String, _ parameters: [(name: String, value: String)], asCSV: Bool, now: Date
    ) async throws -> String {
        let query = Query(
            parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&"))
        let given = Set(parameters.map(\.name))
        guard let measure = try Self.measure(name) else {
            if let unknown = given.subtracting(Funnel.parameters).min() {
                throw Problem.invalid(unknown, "is no parameter of \(name)")
            }
            let wanted = try Funnel.request(query, now: now, policy)
            let funnel = try await store.funnel(wanted, least: policy.least)
            return asCSV ? funnel.table.text : FunnelResponse(funnel, wanted, policy).text(parameters)
        }
        if let unknown = given.subtracting(NumbersRequest.parameters).min() {
            throw Problem.invalid(unknown, "is no dimension")
        }
        let wanted = try NumbersRequest(query, of: measure, now: now, policy)
        let numbers = try await store.numbers(of: measure, wanted, least: policy.least)
        return asCSV
            ? numbers.table(of: measure).text : NumbersResponse(numbers, of: measure, wanted, policy).text
    }
}
