import Foundation
import HTTPTypes
import Testing

@testable import Web

/// Calls of operators.
extension TestApp {
    /// An operator's call, which must answer 200.
    func asked(_ path: String, _ admin: HTTPFields) async throws -> Answer {
        let answer = try await get(path, headers: admin)
        try #require(answer.status == 200, "\(path): \(answer.text)")
        return answer
    }

    func explain(_ url: String, _ admin: HTTPFields) async throws -> Answer {
        try await asked("/v1/admin/explain?url=\(PercentEncoding.encode(url))", admin)
    }
}

extension TestApp.Answer {
    /// A list of objects.
    func objects(_ name: String) -> [[String: Any]] { json[name] as? [[String: Any]] ?? [] }
}
