import ArgumentParser
import Counts
import Foundation
import Kith
import Numbers
import Postgres
import Web

/// `kith numbers`: how often something happened, as text.
struct NumbersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "numbers",
        abstract: "Show how often something happened; without a measure, list what there are numbers of.",
        discussion: """
            A line has a sum, its share of the total, and its course as a sparkline. The options are the parameters of GET \
            /v1/admin/numbers/{measure}; docs/numbers.md says more.

            For people with a key (viewer, growth or admin): kith numbers people.sign_ups --server https://join.example.com. \
            The server knows its settings. Without --server, whoever runs Kith asks its database, which knows whose days it \
            counted; KITH_NUMBERS_LEAST and KITH_COUNT_DAYS must then be the server's.

            Exit codes: 0 done; 1 if it failed, or nothing can be asked so; 2 for wrong usage.
            """)

    @Argument(help: "A measure, such as people.sign_ups.")
    var measure: String?

    @Option(help: "The first day; by default 29 days before the last.")
    var from: String?

    @Option(help: "The last day; by default today.")
    var to: String?

    @Option(help: "The length of time that is summed: day, week or month.")
    var per: String?

    @Option(help: "The dimension that divides the measure, such as country.")
    var by: String?

    @Option(help: "Only one value of a dimension, as in country=JP.")
    var only: String?

    @Option(help: "How many values are shown; 20.")
    var limit: String?

    @Option(help: "Only the deep links of this domain.")
    var domain: String?

    @Option(help: "Only this short link, by its URL.")
    var link: String?

    @Option(help: "Only the short links that have this tag.")
    var tag: String?

    @Flag(help: "Print a table for spreadsheets instead.")
    var csv = false

    @OptionGroup var place: ServerOptions

    func validate() throws {
        guard only.map({ $0.contains("=") }) ?? true else {
            throw ValidationError("--only names a dimension and its value, as in country=JP")
        }
        guard measure != nil || (parameters.isEmpty && !csv) else {
            throw ValidationError("options need a measure: `kith numbers` lists them")
        }
    }

    private var parameters: [(name: String, value: String)] {
        let options = [
            ("from", from), ("to", to), ("per", per), ("by", by), ("limit", limit), ("domain", domain),
            ("link", link), ("tag", tag),
        ]
        let filter = only?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        return options.compactMap { name, value in value.map { (name, $0) } }
            + (filter.map { [($0[0], $0[1])] } ?? [])
    }

    func run() async throws {
        guard let measure else { return try say(NumbersReport.measures) }
        let text: String
        do {
            if let server = try place.named() {
                text = try await self.text(of: measure, at: server)
            } else {
                text = try await textOfDatabase(measure)
            }
        } catch {
            throw Refusal.reason(of: error).map(Failure.init) ?? error
        }
        // A line of CSV ends with two characters, of which `put` adds one.
        if csv { try put(String(text.unicodeScalars.dropLast())) } else { try say(text) }
    }

    private func text(of measure: String, at server: NamedServer) async throws -> String {
        try NumbersReport.measure(measure)
        let answer = try await server.call(
            "GET", "numbers/\(measure)", parameters.map { URLQueryItem(name: $0.name, value: $0.value) },
            headers: ["Accept": csv ? "text/csv" : "application/json"])
        guard !csv else { return String(decoding: answer, as: UTF8.self) }
        return try NumbersReport.text(of: measure, parameters, answer: answer)
    }

    private func textOfDatabase(_ measure: String) async throws -> String {
        let environment = try Environment()
        let db = try await environment.database()
        var policy = environment.config.counts
        policy.zone = try await CountStore(db: db).zone() ?? policy.zone
        let report = NumbersReport(store: NumbersStore(db: db), policy: policy)
        let text = try await report.text(of: measure, parameters, asCSV: csv, now: Date())
        await db.close()
        return text
    }
}
