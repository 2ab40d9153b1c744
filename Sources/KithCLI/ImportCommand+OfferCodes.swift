import ArgumentParser
import Foundation
import Growth
import Kith

extension ImportCommand {
    struct OfferCodes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "offer-codes",
            abstract: "One-time offer codes of the App Store, for a campaign to deal.",
            discussion: """
                As App Store Connect gives them: a code a line, a code and its URL, or columns that a header names (code, url, \
                expires_at). The code and the URL must agree, and the URL must be of the campaign's app. Codes are encrypted \
                with KITH_SECRETS_KEY before they reach the database. PUT /v1/admin/offers/{campaign} creates a campaign: \
                docs/offers.md.
                """)

        @Argument(help: "The campaign's key.")
        var campaign: String

        @OptionGroup var file: ImportedFile

        @Option(
            help: "When the codes expire, as in 2027-03-31, if the file has no column that says it.",
            transform: Self.time)
        var expires: Date?

        func run() async throws {
            try await file.run("offer-codes") { db, config, isDryRun, progress, file in
                try await OfferImportStore(db, config).run(
                    into: campaign, expiresAt: expires, isDryRun: isDryRun, progress: progress,
                    from: { try await file.next() })
            }
        }

        private static func time(_ text: String) throws -> Date {
            guard let time = OfferImportStore.time(text) else {
                throw ValidationError("'\(text)' is no day as in 2027-03-31")
            }
            return time
        }
    }
}
