import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore

@testable import Kith

extension OpsRoutes {
    /// The answer of the operators' server at this path.
    func answer(_ path: String) async throws -> TestApp.Answer {
        let application = Application(router: router(), logger: Logger(label: "ops"))
        return try await application.test(.router) { client in
            try await client.execute(uri: path, method: .get) {
                TestApp.Answer(
                    status: $0.status.code, headers: $0.headers, bytes: Array($0.body.readableBytesView))
            }
        }
    }
}
