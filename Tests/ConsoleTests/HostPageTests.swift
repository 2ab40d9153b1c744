import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web
@testable import Webhooks

/// Live checks of the hosts that the configuration names.
@Suite(.inTurns) struct HostPageTests {
    /// Runs with a host of links that answers each file with this text.
    private func run(
        _ file: String, reach: PublicAddress.Reach = .isAll,
        _ test: @escaping @Sendable (TestApp, _ host: String) async throws -> Void
    ) async throws {
        let router = Router()
        router.get("**") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: file)))
        }
        let server = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            logger: WebhookStage.quiet)
        try await server.test(.live) { client in
            let host = "127.0.0.1:\(client.port ?? 0)"
            try await TestApp.run(configure: {
                TestApp.withConsole(&$0)
                $0.webhooks.reach = reach
                $0.server.linkURL = "http://\(host)"
                ($0.app.iosTeamID, $0.app.iosBundleID) = ("ABCDE12345", "com.example.app")
            }) { app in try await test(app, host) }
        }
    }

    @Test func `a host of the configuration is checked, and what is not as configured is told`() async throws
    {
        let other =
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.other"],"components":[{"/":"*"}]}]}}"#
        try await run(other) { app, host in
            let ann = try await app.signIn("ann@example.com", [.admin])
            let hosts = try await app.get("/v1/admin/hosts", headers: ann)
            #expect(hosts["hosts.0.host"] == host && hosts["hosts.0.app"] == "standard", "\(hosts.text)")
            let check = try await app.get("/v1/admin/hosts/\(host)/check", headers: ann)
            #expect(check.status == 200 && check.text.contains("ABCDE12345.com.example.app is not in"))
            #expect(check["target"] == "http://\(host)", "\(check.text)")
            let page = try await app.get("/app-hosts/\(host)", headers: ann)
            #expect(page.status == 200 && page.text.contains("ABCDE12345.com.example.app is not in"))
            #expect(try await app.get("/app-hosts", headers: ann).text.contains("href=\"/app-hosts/"))
            let japanese = try await app.get("/app-hosts/\(host)?hl=ja", headers: ann).text
            #expect(japanese.contains("`details` にありません") && !japanese.contains("<span lang=\"en\">"))
        }
    }

    @Test func `no host is asked that the configuration does not name, and none that is private`()
        async throws
    {
        try await run("{}", reach: .isPublic) { app, host in
            let ann = try await app.signIn("ann@example.com", [.admin])
            for other in ["evil.test", "127.0.0.1", "localhost"] {
                let answer = try await app.get("/v1/admin/hosts/\(other)/check", headers: ann)
                #expect((answer.status, answer.code) == (404, "not_found"), "\(other): \(answer.text)")
            }
            let check = try await app.get("/v1/admin/hosts/\(host)/check", headers: ann)
            #expect(check.text.contains("it is in a private network"), "\(check.text)")
            let ben = try await app.signIn("ben@example.com", [.viewer, .growth])
            #expect(try await app.get("/v1/admin/hosts", headers: ben).status == 403)
        }
    }
}
