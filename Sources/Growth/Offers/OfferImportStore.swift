package import Foundation
package import Imports
package import Kernel
package import Postgres

/// Imports codes, encrypted before they reach the database.
package struct OfferImportStore: Sendable {
    let db: Database
    let secretsKey: SecretsKey?

    package init(db: Database, secretsKey: SecretsKey?) {
        self.db = db
        self.secretsKey = secretsKey
    }

    /// Reads a day or a time, as files have it. Nil if the text is neither.
    package static func time(_ text: String) -> Date? { OfferCodeFile.time(text) }

    /// Imports all codes of a file, or none. The same file again changes nothing. Throws an `ImportError`.
    /// - Parameters:
    ///   - expiresAt: the expiry of lines that have none of their own.
    ///   - next: returns the chunks of the file, which may end anywhere, and nil at its end.
    package nonisolated(nonsending) func run(
        into campaign: String, expiresAt: Date?, isDryRun: Bool = false,
        progress: @escaping @Sendable (ImportProgress) -> Void = { _ in },
        from next: nonisolated(nonsending) () async throws -> [UInt8]?
    ) async throws -> ImportReport {
        guard let secretsKey else {
            throw ImportError.malformed(line: nil, "KITH_SECRETS_KEY is not set: it encrypts the codes")
        }
        guard let key = OfferCampaign.Key(campaign),
            let campaign = try await OfferStore(db: db).find(key)
        else {
            throw ImportError.malformed(
                line: nil,
                "there is no campaign '\(campaign)': create it with PUT /v1/admin/offers/\(campaign)")
        }
        if let expiresAt, expiresAt < Date() {
            throw ImportError.malformed(line: nil, "the codes have expired: --expires is in the past")
        }
        // Only one import runs, since two could put one code into two campaigns. Codes are dealt meanwhile.
        return try await StagedImport.runAlone(
            into: "offer_campaigns, offer_codes", of: db, isDryRun: isDryRun, progress: progress
        ) { session in
            try await Self.requireKey(secretsKey, session)
            var writing = Writing(
                session, OfferCodeFile(campaign, expiresAt: expiresAt), secretsKey, progress)
            try await writing.write(from: next)
            try await Self.finish(campaign, secretsKey, session)
            return writing.report
        }
    }

    /// Throws if codes are encrypted with another key. With another key each code would have another id, and
    /// could be dealt again.
    private static func requireKey(_ key: SecretsKey, _ session: Session) async throws {
        let others = try await session.query(OfferStore.keys(otherThan: OfferDealing.mark(of: key))) {
            try $0.next(as: String.self)
        }
        guard let other = others.first else { return }
        throw ImportError.malformed(
            line: nil,
            "the codes of '\(other)' are encrypted with another KITH_SECRETS_KEY: set that one again, or codes would be dealt twice"
        )
    }

    /// Locks the campaign, which must be as it was at the beginning, since the file was read for that.
    private static func finish(_ campaign: OfferCampaign, _ key: SecretsKey, _ session: Session) async throws
    {
        let known = try await session.query(
            """
            UPDATE offer_campaigns SET key_mark = \(OfferDealing.mark(of: key)), expiring_until = NULL
            WHERE key = \(campaign.key.text) AND app_store_id = \(campaign.appStoreID) AND offer = \(campaign.offer)
              AND environment = \(campaign.environment.rawValue)
            RETURNING 1
            """
        ) { try $0.next(as: Int.self) }
        guard !known.isEmpty else {
            throw ImportError.malformed(line: nil, "the campaign was changed meanwhile: run it again")
        }
    }

    /// A line that was read.
    typealias Line = (id: UUID, sealed: [UInt8], expiresAt: Date, line: Int)

    /// Returns a statement for the codes that are in another campaign.
    static func others(of ids: [UUID], than campaign: OfferCampaign.Key) -> Statement {
        "SELECT id FROM offer_codes WHERE id = ANY(\(ids)) AND campaign <> \(campaign.text)"
    }

    /// Returns a statement that writes codes. Its rows say which codes it wrote, and whether they are new.
    /// For known codes it corrects the expiry.
    static func insert(_ lines: [Line], into campaign: OfferCampaign.Key) -> Statement {
        """
        INSERT INTO offer_codes AS o (campaign, id, sealed, expires_at)
        SELECT \(campaign.text), id, decode(sealed, 'base64'), to_timestamp(expires_at)
        FROM unnest(\(lines.map(\.id)), \(lines.map { Data($0.sealed).base64EncodedString() }),
                    \(lines.map(\.expiresAt.timeIntervalSince1970))) AS given (id, sealed, expires_at)
        ON CONFLICT (campaign, id) DO UPDATE SET expires_at = excluded.expires_at
        WHERE o.dealt_at IS NULL AND o.expires_at <> excluded.expires_at
        RETURNING id, xmax = 0
        """
    }

    private struct Writing {
        let session: Session
        let key: SecretsKey
        let progress: @Sendable (ImportProgress) -> Void
        var file: OfferCodeFile
        var report = ImportReport(lines: 0, imported: 0)
        private var batch: [Line] = []
        private var seen: Set<UUID> = []
        private static let most = 5_000
        /// How many lines a finding names.
        private static let mostLines = 100

        init(
            _ session: Session, _ file: OfferCodeFile, _ key: SecretsKey,
            _ progress: @escaping @Sendable (ImportProgress) -> Void
        ) {
            (self.session, self.file, self.key, self.progress) = (session, file, key, progress)
        }

        nonisolated(nonsending) mutating func write(
            from next: nonisolated(nonsending) () async throws -> [UInt8]?
        ) async throws {
            var rest: [UInt8] = []
            while let chunk = try await next() {
                rest += chunk
                guard let end = rest.lastIndex(of: UInt8(ascii: "\n")) else { continue }
                for line in rest[..<end].split(
                    separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                {
                    try await take(line)
                }
                rest.removeFirst(end + 1)
            }
            if !rest.isEmpty { try await take(rest[...]) }
            try await flush()
        }

        private nonisolated(nonsending) mutating func take(_ line: ArraySlice<UInt8>) async throws {
            guard let text = String(validating: line, as: UTF8.self), text.utf8.count <= 1024 else {
                throw ImportError.malformed(line: file.line + 1, "not a line of codes in UTF-8")
            }
            do throws(OfferCodeFile.Refusal) {
                guard let entry = try file.read(text) else { return }
                report.lines += 1
                let id = OfferDealing.id(of: entry.code, key)
                guard seen.insert(id).inserted else { return add(.duplicate, file.line) }
                guard
                    let sealed = try? key.seal(
                        Array(entry.code.text.utf8), for: OfferDealing.place(file.campaign.key, id))
                else { throw .code }
                batch.append((id, sealed, entry.expiresAt, file.line))
            } catch {
                report.lines += 1
                add(error.reason, file.line)
            }
            if batch.count >= Self.most { try await flush() }
        }

        private nonisolated(nonsending) mutating func flush() async throws {
            guard !batch.isEmpty else { return }
            let key = file.campaign.key
            let elsewhere = Set(
                try await session.query(OfferImportStore.others(of: batch.map(\.id), than: key)) {
                    try $0.next(as: UUID.self)
                })
            let own = batch.filter { !elsewhere.contains($0.id) }
            let written = try await session.query(OfferImportStore.insert(own, into: key)) {
                try ($0.next(as: UUID.self), $0.next(as: Bool.self))
            }
            let isNew = Dictionary(uniqueKeysWithValues: written)
            for one in batch {
                switch isNew[one.id] {
                case true?: report.imported += 1
                case false?: add(.offerMoved, one.line)
                case nil: add(elsewhere.contains(one.id) ? .offerPool : .already, one.line)
                }
            }
            batch = []
            progress(.working("writing", rows: report.imported))
        }

        private mutating func add(_ reason: ImportReport.Reason, _ line: Int) {
            let place = report.findings.firstIndex { $0.reason == reason } ?? report.findings.endIndex
            if place == report.findings.endIndex { report.findings.append(.init(reason, 0)) }
            report.findings[place].count += 1
            if report.findings[place].lines.count < Self.mostLines {
                report.findings[place].lines.append(line)
            }
        }
    }
}
