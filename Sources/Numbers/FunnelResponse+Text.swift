import Charts
import Counts
import Web

/// The steps of invites as text for a terminal.
extension FunnelResponse {
    /// A line a step: its sum, its shares of the first step and of the one before.
    /// - Parameter parameters: those of the call.
    func text(_ parameters: [(name: String, value: String)]) -> String {
        let words = ChartWords.english
        let funnel = Funnel(steps.map(\.count))
        let lines = funnel.steps.map { step in
            [
                step.count?.grouped ?? "?", step.count.map { words.share($0, of: funnel.first ?? 0) } ?? "",
                step.count.flatMap { count in step.previous.map { words.share(count, of: $0) } } ?? "",
                step.measure,
            ]
        }
        let only = parameters.first { CountDimension(rawValue: $0.name) != nil }
        let dimension = only.flatMap { CountDimension(rawValue: $0.name) }
        let isPartial = steps.contains { $0.count == nil }
        let note =
            dimension.map {
                "\n?: not known\($0.isHidden ? " or too low to be told" : "") by \($0.rawValue)"
            } ?? ""
        return """
            \(Funnel.name): \(Funnel.summary)
            \(from) – \(to), \(timeZone)\(only.map { ", \($0.name) \($0.value.visible)" } ?? "")

            \(TextTable([["count", "of first", "of previous"]] + lines, leading: [3]).text)\(isPartial ? note : "")
            """
    }
}
