import Charts
import Counts
import Foundation
import Web

/// How many came to each step of the way of invites, from its page to newcomers who invite in their turn.
///
/// Each step is a measure, so it counts what happened in the time: not the same people at each step.
struct Funnel: Equatable, Sendable {
    struct Step: Equatable, Sendable {
        let measure: String
        /// Nil if nobody knows how many of them have the value that is asked for, or if that is hidden.
        let count: Int?
        /// The count of the step before, of those that are known. Nil for the first one.
        let previous: Int?
    }

    let steps: [Step]

    static let name = "invites.funnel"
    static let summary = "From the page of an invite to those who came by it and brought a friend."
    static let measures = [
        "invites.pages", "invites.taps", "invites.first_opens", "invites.sign_ups",
        "invites.friendships", "invites.passed_on",
    ].compactMap(Measure.named)

    /// By which values it may be filtered: those of its first step.
    static let dimensions = measures[0].dimensions

    /// The parameters of a query.
    static let parameters = ["from", "to"] + dimensions.map(\.rawValue)

    /// Reads a query.
    static func request(_ query: Query, now: Date, _ policy: CountPolicy) throws(Problem) -> NumbersRequest {
        try NumbersRequest(query, of: measures[0], now: now, policy, isTotal: true)
    }

    /// - Parameter counts: how often each of `measures` happened. Nil where it is unknown or hidden.
    init(_ counts: [Int?]) {
        var previous: Int?
        steps = zip(Self.measures, counts).map { measure, count in
            defer { previous = count ?? previous }
            return Step(measure: measure.name, count: count, previous: count.flatMap { _ in previous })
        }
    }

    /// The count of the first step. Nil if it is hidden.
    var first: Int? { steps.first?.count }
}

extension Funnel {
    /// A table for spreadsheets: a line a step.
    var table: CSV {
        func text(_ share: Double?) -> String { share.map { "\($0)" } ?? "" }
        let lines = FunnelResponse.steps(of: self).map { step in
            [step.measure, step.count.map { "\($0)" } ?? "", text(step.ofPrevious), text(step.ofFirst)]
        }
        return CSV(name: Self.name, rows: [["step", "count", "of_previous", "of_first"]] + lines)
    }

    func picture(
        _ request: NumbersRequest, _ policy: CountPolicy, _ words: ChartWords, width: Int
    ) -> ChartPicture {
        let names = NumbersWords(words)
        var notes = [words.span(request.span.first, request.span.last), policy.zoneName]
        if let only = request.only {
            notes.append(
                "\(names.name(of: only.dimension)): \(names.name(of: only.value, only.dimension))")
            let unknown = zip(Self.measures, steps).filter { $0.1.count == nil }.map(\.0)
            if !unknown.isEmpty { notes.append(names.unknown(unknown, by: only.dimension)) }
        }
        notes.append(words.funnel)
        let rows = zip(Self.measures, steps).compactMap { measure, step in
            step.count.map { RowChart.Row(names.name(of: measure), $0) }
        }
        return ChartPicture(
            title: names.funnel, notes: notes, charts: [RowChart(rows: rows, form: .funnel)], words,
            width: width)
    }
}
