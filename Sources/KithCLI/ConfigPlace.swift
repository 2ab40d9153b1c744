import ArgumentParser
import Foundation
import Kernel
import Kith
import Postgres

/// Where operators' settings are shown and published: a server, or a database.
protocol ConfigPlace: Sendable {
    /// - Parameter revision: nil for the newest.
    func state(_ revision: Int64?) async throws -> Publisher.State
    /// Returns the newest publications, newest first.
    func history(_ limit: Int) async throws -> [PublicationSummaryResponse]
    /// Undoes one publication.
    func revert(_ number: Int64, _ options: PublicationOptions) async throws
    /// Goes back to a revision.
    /// - Parameter only: the sections and items that do. Empty for all.
    func restore(_ number: Int64, only: [String], _ options: PublicationOptions) async throws
}

/// The options that name a place. Without them it is the database of the settings.
struct ConfigPlaceOptions: ParsableArguments {
    @OptionGroup var options: ServerOptions

    /// Throws if a publication there lacks what a server asks for.
    func validate(_ options: PublicationOptions) throws {
        guard self.options.server == nil || options.dryRun || options.reason != nil else {
            throw ValidationError("--server needs --reason, unless with --dry-run")
        }
    }

    /// The server that they name.
    func namedServer() throws -> ConfigServer? {
        try options.named().map(ConfigServer.init)
    }

    func withPlace(_ body: (any ConfigPlace) async throws -> Void) async throws {
        if let server = try namedServer() { return try await body(server) }
        let environment = try Environment()
        let db = try await environment.database()
        try await body(ConfigDatabase(publisher: Publisher(db: db, config: environment.config)))
        await db.close()
    }
}

/// A database in which commands publish.
struct ConfigDatabase: ConfigPlace {
    let publisher: Publisher

    func state(_ revision: Int64?) async throws -> Publisher.State {
        guard let revision else { return try await publisher.state() }
        guard let state = try await publisher.state(at: revision) else { throw Self.unknown(revision) }
        return state
    }

    func history(_ limit: Int) async throws -> [PublicationSummaryResponse] {
        try await publisher.history.list(before: .max, limit: limit).map(PublicationSummaryResponse.init)
    }

    func revert(_ number: Int64, _ options: PublicationOptions) async throws {
        guard let publication = try await publisher.history.publication(number) else {
            throw Self.unknown(number)
        }
        do {
            try await publish(
                publisher.reverting(publication, forced: options.forced), from: .revert, options)
        } catch let later as Publisher.ChangedLater {
            throw Failure(
                "publication \(later.number) changed \(later.items[0].text) later: revert that one first, or add --force \(later.items[0].text)"
            )
        }
    }

    func restore(_ number: Int64, only: [String], _ options: PublicationOptions) async throws {
        let places = only.isEmpty ? nil : Set(only)
        guard let plan = try await publisher.restoring(number, only: places) else {
            throw Self.unknown(number)
        }
        try await publish(plan, from: .restore, options)
    }

    /// Prints what a plan changes, then publishes it.
    /// - Parameters:
    ///   - expected: the revision over which alone it is published. Nil for any.
    ///   - warn: prints warnings of what is wanted.
    func publish(
        _ plan: Publisher.Plan, from source: Publication.Source, _ options: PublicationOptions,
        expecting expected: Int64? = nil, warn: () throws -> Void = {}
    ) async throws {
        guard plan.section.mistakes.isEmpty else {
            throw Failure(plan.section.mistakes.joined(separator: "\n"))
        }
        let shown = PlanResponse(plan, revision: plan.revision)
        try await options.publish(shown, expecting: expected, warn: warn) {
            let number = try await publisher.publish(
                plan, by: .thisCommand, from: source, options.reason.flatMap(OperatorReason.init))
            guard let number else {
                throw Failure("somebody published meanwhile, and \(Self.runAgain)")
            }
            return number
        }
    }

    /// What to do if somebody published meanwhile.
    static let runAgain = "nothing was changed: run it again to see what changes now"

    private static func unknown(_ number: Int64) -> Failure {
        Failure("there is no publication \(number): see `kith config history`")
    }
}
