import HTTPTypes
import Hummingbird
import Kernel
import Postgres
import Web

/// The routes `/v1/admin/config`: what operators set, its history, and changes of it.
struct PublicationRoutes {
    let publisher: Publisher

    /// `GET /v1/admin/config?revision&at` shows the state: now, as of a revision, or as of a time.
    @Sendable func show(_ request: Request, context: AdminContext) async throws -> Response {
        let query = request.query
        let time = try query.time("at")
        var revision = try number(query.value("revision"), "revision")
        if let time {
            guard revision == nil else { throw Problem.invalid("at", "cannot stand beside revision") }
            revision = try await publisher.history.revision(at: time)
        }
        let state = try await state(at: revision)
        return try answer(ConfigStateResponse(state), revision: state.revision)
    }

    /// `GET /v1/admin/config/items/{section}/{key}` shows one item.
    @Sendable func showItem(_ request: Request, context: AdminContext) async throws -> Response {
        let state = try await publisher.state()
        let name = ItemName(
            context.parameters.get("section") ?? "", context.parameters.get("key") ?? "")
        guard let fields = state.sections[item: name] else {
            throw Problem.notFound("item_not_found", "There is no such item.")
        }
        return try answer(fields, revision: state.revision)
    }

    /// `POST /v1/admin/config` publishes changes, or says what they would do.
    @Sendable func publish(_ request: Request, context: AdminContext) async throws -> Response {
        let body = try PublicationRequest(await context.requestDecoder.tree(in: request), "changes")
        let expected = try request.expectedRevision()
        let state = try await publisher.state()
        try await require(expected, is: state.revision)
        guard let changes = body.changes else { throw Problem.invalid("changes", "is missing") }
        return try await publish(try await plan(changes, over: state), body, context.source, context)
    }

    /// Returns what makes these changes, as a file has them. Throws a 400 that names what is wrong.
    func plan(_ changes: JSONTree, over state: Publisher.State) async throws -> Publisher.Plan {
        do {
            let file = try AppsFile(changes: changes, config: publisher.config, over: state.sections)
            let plan = try await publisher.plan(file.sections, over: state.revision)
            guard plan.section.mistakes.isEmpty else { throw Self.problem(plan.section.mistakes) }
            return plan
        } catch let error as ConfigError {
            throw Self.problem(error.mistakes)
        }
    }

    /// `POST /v1/admin/config/publications/{number}/revert` undoes one publication.
    @Sendable func revert(_ request: Request, context: AdminContext) async throws -> Response {
        let body = try PublicationRequest(await context.requestDecoder.tree(in: request))
        let expected = try request.expectedRevision()
        let publication = try await publication(context)
        do {
            let plan = try await publisher.reverting(publication, forced: body.forced)
            try await require(expected, is: plan.revision)
            return try await publish(plan, body, .revert, context)
        } catch let later as Publisher.ChangedLater {
            try await require(expected, is: later.revision)
            throw Problem(
                .conflict, "changed_later",
                "Publication \(later.number) changed \(later.items.map(\.text).joined(separator: ", ")) later: name these in `force`, or revert that one first.",
                field: "force")
        }
    }

    /// `POST /v1/admin/config/publications/{number}/restore` goes back to the state that the publication
    /// made, or in `only` some sections and items of it.
    @Sendable func restore(_ request: Request, context: AdminContext) async throws -> Response {
        let tree = try await context.requestDecoder.tree(in: request)
        let body = try PublicationRequest(tree, "only")
        let only = try Self.places(tree["only"])
        let expected = try request.expectedRevision()
        guard let number = try number(context.parameters.get("number"), "number"),
            let plan = try await publisher.restoring(number, only: only)
        else { throw Problem.publicationNotFound }
        try await require(expected, is: plan.revision)
        return try await publish(plan, body, .restore, context)
    }

    /// `GET /v1/admin/config/publications?item&before&limit` lists the history, or that of an item, newest
    /// first.
    @Sendable func list(_ request: Request, context: AdminContext) async throws -> PublicationsResponse {
        let before = try number(request.query.value("before"), "before")
        let limit = try request.query.limit()
        let items = try request.query.item("item").map { [$0] }
        let found = try await publisher.history.list(before: before ?? .max, of: items, limit: limit + 1)
        let page = found.prefix(limit)
        return PublicationsResponse(
            publications: page.map(PublicationSummaryResponse.init),
            next: found.count > limit ? page.last?.number : nil)
    }

    /// `GET /v1/admin/config/publications/{number}` shows one publication.
    @Sendable func showPublication(_ request: Request, context: AdminContext) async throws
        -> PublicationResponse
    {
        PublicationResponse(try await publication(context))
    }

    /// `GET /v1/admin/config/difference?from&to` shows what differs between two revisions.
    @Sendable func compare(_ request: Request, context: AdminContext) async throws -> ConfigDifferenceResponse
    {
        guard let from = try number(request.query.value("from"), "from") else {
            throw Problem.invalid("from", "is missing")
        }
        let (one, other) = try await (
            state(at: from), state(at: number(request.query.value("to"), "to"))
        )
        return ConfigDifferenceResponse(
            from: one.revision, to: other.revision,
            changes: one.sections.changes(to: other.sections).map(ItemChangeResponse.init))
    }

    /// Reads a list of sections and items. Nil if it is not given.
    private static func places(_ tree: JSONTree?) throws(Problem) -> Set<String>? {
        guard let tree else { return nil }
        let places = tree.elements?.compactMap(\.text) ?? []
        guard !places.isEmpty, places.count == tree.elements?.count,
            places.allSatisfy(AppliedSections.isPlace)
        else {
            throw .invalid(
                "only", "must be a list of sections and items, such as values and policies.minimum")
        }
        return Set(places)
    }

    /// - Parameter revision: nil for the state now.
    private func state(at revision: Int64?) async throws -> Publisher.State {
        guard let revision else { return try await publisher.state() }
        guard let state = try await publisher.state(at: revision) else { throw Problem.publicationNotFound }
        return state
    }

    private func publication(_ context: AdminContext) async throws -> Publication {
        guard let number = try number(context.parameters.get("number"), "number"),
            let found = try await publisher.history.publication(number)
        else { throw Problem.publicationNotFound }
        return found
    }

    /// Throws a 403 if the caller's role may not publish one of the items.
    func require(_ context: AdminContext, mayPublish items: [ItemChange]) throws(Problem) {
        for item in items {
            let editors = AppliedSections.kind(item.section)?.editors ?? []
            guard context.roles.contains(where: { $0 == .admin || editors.contains($0) }) else {
                throw Problem(
                    .forbidden, "forbidden", "Items of \(item.section) need the role admin.",
                    field: "changes.\(item.section)")
            }
        }
    }

    /// Publishes a plan, or says what it would do.
    /// - Parameter more: what is done with it or not at all.
    func publish(
        _ plan: Publisher.Plan, _ body: PublicationRequest, _ source: Publication.Source,
        _ context: AdminContext, with more: [Statement] = []
    ) async throws -> Response {
        try require(context, mayPublish: plan.section.items)
        guard plan.section.mistakes.isEmpty else { throw Self.problem(plan.section.mistakes) }
        if body.isDryRun || plan.section.items.isEmpty {
            return try answer(PlanResponse(plan, revision: plan.revision), revision: plan.revision)
        }
        let dangers = plan.section.dangers(without: body.forced)
        guard dangers.isEmpty else {
            let reasons = dangers.map { "\($0.item.text): \($0.danger)" }
            throw Problem(
                .conflict, "force_needed",
                "\(reasons.joined(separator: "; ")). If that is meant, name these items in `force`.",
                field: "force")
        }
        let number = try await publisher.publish(
            plan, by: context.actor, from: source, body.reason, with: more)
        guard let number else {
            try await require(plan.revision, is: publisher.history.revision())
            throw Problem.changedMeanwhile
        }
        return try answer(PlanResponse(plan, revision: number), revision: number, .created)
    }

    /// Throws a 409 that says what was published after the revision that the caller saw.
    func require(_ expected: Int64, is revision: Int64) async throws {
        guard expected != revision else { return }
        let later = try await publisher.history.list(after: expected, limit: 5).map { other in
            "\(other.number) by \(other.actor.text): "
                + other.markedItems.prefix(5).map { $0.dropFirst() }.joined(separator: ", ")
        }
        throw Problem(
            .conflict, "changed_meanwhile",
            later.isEmpty
                ? "There is no revision \(expected) yet. The newest is \(revision)."
                : "Since revision \(expected) there were publications: \(later.joined(separator: "; ")). The newest is \(revision).",
            field: "If-Match")
    }

    private func number(_ text: String?, _ field: String) throws(Problem) -> Int64? {
        guard let text else { return nil }
        guard let number = Int64(revision: text) else {
            throw .invalid(field, "must be the number of a publication")
        }
        return number
    }

    private func answer(
        _ body: some Encodable, revision: Int64, _ status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var response = JSON.response(try JSON.data(body))
        response.status = status
        response.headers[.eTag] = "\"\(revision)\""
        return response
    }

    /// Returns the answer to changes that cannot be, in the words of the file.
    private static func problem(_ mistakes: [String]) -> Problem {
        let place = mistakes.first?.prefix { $0 != " " && $0 != ":" } ?? ""
        return Problem(
            .badRequest, "invalid_field", mistakes.prefix(20).joined(separator: "; ") + ".",
            field: "changes.\(place.prefix(200))")
    }
}

extension AdminContext {
    /// By what the caller publishes.
    var source: Publication.Source { caller.isPerson ? .console : .call }
}

extension Problem {
    fileprivate static let publicationNotFound = Problem.notFound(
        "publication_not_found", "There is no publication of that number.")
}
