package import Foundation
import Web

/// Who began what grew last in the tree of invites, as text for a terminal.
package struct InvitersReport: Sendable {
    let store: InvitersStore

    package init(store: InvitersStore) {
        self.store = store
    }

    /// A line a user. Throws a `Problem` that names a wrong parameter.
    /// - Parameter parameters: those of `GET /v1/admin/inviters/growing`.
    package func text(_ parameters: [(name: String, value: String)]) async throws -> String {
        let query = Query(
            parameters.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&"))
        let minutes = try InvitersRoutes.minutes(query)
        return Self.text(try await store.growing(minutes: minutes, limit: InvitersRoutes.limit(query)))
    }

    /// Returns what a server answered to `GET /v1/admin/inviters/growing`.
    package static func text(answer: Data, decoder: JSONDecoder) throws -> String {
        text(try decoder.decode(InvitersResponse.self, from: answer).inviters)
    }

    private static func text(_ rows: [InvitersResponse.Inviter]) -> String {
        guard !rows.isEmpty else { return "Nobody signed up by an invite in these minutes." }
        return rows.map(\.line).joined(separator: "\n")
    }
}

extension InvitersResponse.Inviter {
    /// `150 sign-ups below, 1 by own invites: alice (u-1), active, frozen`.
    fileprivate var line: String {
        let name = [username, "(\(uid))"].compactMap(\.self).joined(separator: " ")
        let state = [status, frozen.map { _ in "frozen" }].compactMap(\.self).joined(separator: ", ")
        return "\(signUps) sign-ups below, \(direct ?? 0) by own invites: \(name), \(state)"
    }
}
