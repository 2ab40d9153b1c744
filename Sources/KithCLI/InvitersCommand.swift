import ArgumentParser
import Foundation
import Kith
import Numbers
import Postgres
import Web

/// `kith inviters`: who began what grew last in the tree of invites.
struct InvitersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inviters",
        abstract: "Show by whose invites most signed up in the last minutes, with those who came below.",
        discussion: """
            In a wave of abuse these are the users whose invites to freeze. GET /v1/admin/inviters/growing answers the same; \
            docs/numbers.md has the rule. With --server and a key (support or admin) it needs no database.

            Exit codes: 0 done; 1 if it failed, or nothing can be asked so; 2 for wrong usage.
            """)

    @Option(help: "How many minutes, up to 1440; 60.")
    var minutes: String?

    @Option(help: "How many users are shown, up to 100; 20.")
    var limit: String?

    @OptionGroup var place: ServerOptions

    func run() async throws {
        let parameters = [("minutes", minutes), ("limit", limit)].compactMap { name, value in
            value.map { (name, $0) }
        }
        if let server = try place.named() {
            let answer = try await server.call(
                "GET", "inviters/growing", parameters.map { URLQueryItem(name: $0.0, value: $0.1) })
            return try say(InvitersReport.text(answer: answer, decoder: NamedServer.decoder))
        }
        let db = try await Environment().database()
        let text: String
        do {
            text = try await InvitersReport(store: InvitersStore(db: db)).text(parameters)
        } catch {
            throw Refusal.reason(of: error).map(Failure.init) ?? error
        }
        try say(text)
        await db.close()
    }
}
