import Foundation
import Kernel
import Kith
import Web

/// A server at which commands publish, by the calls of `/v1/admin/config`.
struct ConfigServer: ConfigPlace {
    let server: NamedServer

    func state(_ revision: Int64?) async throws -> Publisher.State {
        let query = revision.map { [URLQueryItem(name: "revision", value: "\($0)")] } ?? []
        return try await get("", query, ConfigStateResponse.self).state
    }

    func history(_ limit: Int) async throws -> [PublicationSummaryResponse] {
        var (found, before): ([PublicationSummaryResponse], Int64?) = ([], nil)
        repeat {
            var query = [URLQueryItem(name: "limit", value: "\(min(limit - found.count, 100))")]
            if let before { query.append(URLQueryItem(name: "before", value: "\(before)")) }
            let page = try await get("publications", query, PublicationsResponse.self)
            found += page.publications
            // A server that does not go on would be asked for ever.
            before = page.next.flatMap { next in next < before ?? .max ? next : nil }
        } while before != nil && found.count < limit
        return found
    }

    func revert(_ number: Int64, _ options: PublicationOptions) async throws {
        let revision = try await history(1).first?.number ?? 0
        try await publish(nil, at: "publications/\(number)/revert", over: revision, options)
    }

    func restore(_ number: Int64, only: [String], _ options: PublicationOptions) async throws {
        let revision = try await history(1).first?.number ?? 0
        try await publish(nil, only, at: "publications/\(number)/restore", over: revision, options)
    }

    /// Prints what becomes different, and publishes it.
    /// - Parameters:
    ///   - removed: the items that go. Those of sections that are not named stay.
    ///   - expected: the revision over which alone it is published. Nil for any.
    func publish(
        _ sections: AppliedSections, removing removed: [ItemName], over revision: Int64,
        _ options: PublicationOptions, expecting expected: Int64?
    ) async throws {
        var changes: Changes = [:]
        for section in sections.all {
            let kind = type(of: section)
            changes[kind.name] = section.items.mapValues { $0 }
        }
        for name in removed where changes[name.section] != nil {
            changes[name.section]?.updateValue(nil, forKey: name.key)
        }
        try await publish(changes, at: "", over: revision, options, expecting: expected)
    }

    /// The fields of items by section and key. Nil removes an item.
    private typealias Changes = [String: [String: [String: String]?]]

    private func publish(
        _ changes: Changes?, _ only: [String] = [], at path: String, over revision: Int64,
        _ options: PublicationOptions,
        expecting expected: Int64? = nil
    ) async throws {
        var body = Body(
            changes: changes, only: only.isEmpty ? nil : only, reason: options.reason, force: options.force,
            dryRun: true)
        let plan = try await post(path, over: revision, body)
        body.dryRun = false
        try await options.publish(plan, expecting: expected) {
            try await post(path, over: revision, body).revision
        }
    }

    private struct Body: Encodable {
        let changes: Changes?
        let only: [String]?
        /// Nil only in a dry run.
        let reason: String?
        let force: [String]
        var dryRun: Bool
    }

    private func get<Answer: Decodable>(_ path: String, _ query: [URLQueryItem], _: Answer.Type) async throws
        -> Answer
    {
        try await call("GET", path, query)
    }

    private func post(_ path: String, over revision: Int64, _ body: Body) async throws -> PlanResponse {
        try await call(
            "POST", path, headers: ["If-Match": "\"\(revision)\"", "Content-Type": "application/json"],
            body: Data(JSON.data(body)))
    }

    private func call<Answer: Decodable>(
        _ method: String, _ path: String, _ query: [URLQueryItem] = [], headers: [String: String] = [:],
        body: Data? = nil
    ) async throws -> Answer {
        let answer = try await server.call(
            method, path.isEmpty ? "config" : "config/\(path)", query, headers: headers, body: body)
        return try NamedServer.decoder.decode(Answer.self, from: answer)
    }
}
