import ArgumentParser
import Links
import Postgres

/// `kith export`: writes what `kith import` reads.
struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write everything, or links, as CSV files.",
        subcommands: [All.self, Links.self])

    struct Links: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "links",
            abstract: "Write short links to standard output, as `kith import fdl` reads them.",
            discussion: """
                The first 29 columns are those of Google's export of Firebase Dynamic Links, in its order; behind them stand \
                suffix, expires_at, archived_at, al and gclid, for which Google has none. Newest links first. A link that \
                somebody makes or changes meanwhile is in the file as it was or as it is.

                Exit codes: 0 if the file is complete; 1 if it is not, or the domain has no links.
                """)

        @Option(help: "Only the links of this domain, as in https://go.example.com.")
        var domain: String?

        func run() async throws {
            let db = try await Environment().database()
            let links = ShortLinkExportStore(db)
            let domains = try await links.domains()
            if let domain, !domains.contains(domain) {
                throw Failure(
                    "no links stand at '\(domain)'"
                        + (domains.isEmpty ? "" : ": there are some at \(domains.joined(separator: ", "))"))
            }
            try put(ShortLinkExportStore.header)
            for name in domains where domain == nil || name == domain {
                try await links.export(domain: name) { try put($0) }
            }
            await db.close()
        }
    }
}
