import HTTPTypes
import Hummingbird
import Kernel
import Postgres
import Web

/// The routes `/v1/admin/config/drafts`: changes that are kept and compared before they are published.
struct DraftRoutes {
    let config: PublicationRoutes
    let drafts: ConfigDraftStore

    private var publisher: Publisher { config.publisher }

    /// `GET /v1/admin/config/drafts` lists the drafts by their names.
    @Sendable func list(_ request: Request, context: AdminContext) async throws -> DraftsResponse {
        DraftsResponse(drafts: try await drafts.list().map(DraftSummary.init))
    }

    /// `GET /v1/admin/config/drafts/{draft}` shows a draft, and what it would do to the state now.
    @Sendable func show(_ request: Request, context: AdminContext) async throws -> Response {
        let draft = try await draft(context)
        let state = try await publisher.state()
        return try answer(draft, try await publisher.plan(draft.wanted, over: state), state)
    }

    /// `PUT /v1/admin/config/drafts/{draft}` keeps changes of the state now as a draft, in place of the
    /// version of it in `If-Match`.
    @Sendable func put(_ request: Request, context: AdminContext) async throws -> Response {
        let name = try Self.name(context)
        let body = try await context.requestDecoder.tree(in: request)
        for member in body.members ?? [] where member.key != "changes" {
            throw Problem.invalid(String(member.key.prefix(128)), "is not a field of this call")
        }
        guard let changes = body["changes"], changes.members != nil else {
            throw Problem.invalid("changes", "must be a table of sections")
        }
        let version = try request.expectedRevision(Self.place)
        let state = try await publisher.state()
        let plan = try await config.plan(changes, over: state)
        try config.require(context, mayPublish: plan.section.items)
        guard !plan.section.items.isEmpty else { throw Problem.invalid("changes", "change nothing") }
        if let former = try await drafts.draft(name) {
            try config.require(context, mayPublish: former.items)
        }
        let draft = try await drafts.put(
            name, over: version, plan.section.items, at: state.revision, by: context.actor)
        return try answer(draft, plan, state, version == 0 ? .created : .ok)
    }

    /// `DELETE /v1/admin/config/drafts/{draft}` deletes the version of a draft in `If-Match`.
    @Sendable func delete(_ request: Request, context: AdminContext) async throws -> HTTPResponse.Status {
        let version = try request.expectedRevision(Self.place)
        let draft = try await draft(context)
        try config.require(context, mayPublish: draft.items)
        try await drafts.delete(draft.name, version: version, by: context.actor)
        return .noContent
    }

    /// `POST /v1/admin/config/drafts/{draft}/publication` publishes a version of a draft over the revision in
    /// `If-Match`, and deletes it.
    @Sendable func publish(_ request: Request, context: AdminContext) async throws -> Response {
        let tree = try await context.requestDecoder.tree(in: request)
        let body = try PublicationRequest(tree, "version")
        guard case .number(let text)? = tree["version"]?.value, let version = Int64(revision: text) else {
            throw Problem.invalid("version", "must be the version of the draft that you saw")
        }
        let expected = try request.expectedRevision()
        let draft = try await draft(context)
        guard draft.version == version else { throw ConfigDraftError.changed }
        let state = try await publisher.state()
        try await config.require(expected, is: state.revision)
        let overtaken = draft.overtaken(by: state.sections).subtracting(body.forced).sorted()
        guard overtaken.isEmpty else {
            throw Problem(
                .conflict, "changed_later",
                "Others published \(overtaken.map(\.text).joined(separator: ", ")) since revision \(draft.revision): name these in `force`, or change the draft.",
                field: "force")
        }
        let plan = try await publisher.plan(draft.wanted, over: state)
        let deletion = ConfigDraftStore.delete(draft.name, version: version)
        do {
            if plan.section.items.isEmpty, !body.isDryRun {
                // Others have published all of it.
                try config.require(context, mayPublish: draft.items)
                try await drafts.delete(draft.name, version: version, by: context.actor)
            }
            return try await config.publish(
                plan, body, context.source, context, with: deletion)
        } catch let error as PostgresError {
            throw error.outcome(among: ConfigDraftError.self)
        }
    }

    private static let place =
        "the version of the draft that you saw in the header If-Match, as its ETag has it, or \"0\" for a new one"

    private static func name(_ context: AdminContext) throws(Problem) -> String {
        guard let name = context.parameters.get("draft"), EntryKey.isOne(name) else {
            throw .invalid("draft", "must be \(EntryKey.form)")
        }
        return name
    }

    private func draft(_ context: AdminContext) async throws -> ConfigDraft {
        guard let found = try await drafts.draft(Self.name(context)) else { throw ConfigDraftError.unknown }
        return found
    }

    private func answer(
        _ draft: ConfigDraft, _ plan: Publisher.Plan, _ state: Publisher.State,
        _ status: HTTPResponse.Status = .ok
    ) throws -> Response {
        var response = JSON.response(
            try JSON.data(DraftResponse(draft, draft.overtaken(by: state.sections), plan)))
        response.status = status
        response.headers[.eTag] = "\"\(draft.version)\""
        return response
    }
}
