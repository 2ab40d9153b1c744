import ArgumentParser
import Foundation
import Kernel
import Kith
import Logging
import Postgres
import Web

/// `kith explain`: why a link leads where it leads.
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain", abstract: "Explain why a link leads where it leads, and what comes of it.",
        discussion: """
            Reads the database as it is now, follows the redirects of Kith, and prints which row of which table decided, by which \
            facts. It counts no visit. GET /v1/admin/explain answers the same.

            Exit codes: 0 if it is a link of this server, wherever it leads; 1 if it is not; 2 for wrong usage.
            """)

    @Argument(help: "The link, as somebody opened it: a user's link, a short one, or a deep link.")
    var url: String

    func run() async throws {
        let environment = try Environment()
        let db = try await environment.database()
        var config = environment.config
        // It verifies no token, so it needs no identity provider.
        if config.auth.jwks == nil { config.auth.firebaseProject = config.auth.firebaseProject ?? "none" }
        let app = try App(config, db: db, logger: environment.logger)
        guard let text = try await app.explanation(of: url) else {
            await db.close()
            throw Failure(
                "'\(url.visible)' is no link of this server: links begin with \(environment.config.server.linkURL), or with a domain "
                    + "of KITH_LINK_DOMAINS or of `kith config show`")
        }
        try say(text.trimmingCharacters(in: .newlines))
        await db.close()
    }
}
