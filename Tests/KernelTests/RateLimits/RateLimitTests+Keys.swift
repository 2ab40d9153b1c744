import HTTPTypes
import Hummingbird
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// A key that is not looked up is not a key.
extension RateLimitTests {
    private static let bearer = "Bearer kith_"

    @Test(arguments: [[bearer], [bearer + "a", bearer + "b"], [bearer, "Basic x"]])
    func `no route answers a made-up key without end`(credentials: [String]) async throws {
        try await run("api=1/m,landings=1/m,unauthenticated=1/m") { apps, _ in
            let routes = apps[0].app.router().routes.filter { $0.method != .head }
            for (number, route) in routes.enumerated() {
                var headers = Self.from("2001:db8:0:\(String(number, radix: 16))::1")
                for credential in credentials {
                    headers.append(HTTPField(name: .authorization, value: credential))
                }
                let path = route.path.description.replacing(/\{[^}]*\}|\*\*/, with: "x")
                let first = try await apps[0].call(route.method, path, headers: headers)
                #expect(first.status != 429, "\(route)")
                let second = try await apps[0].call(route.method, path, headers: headers)
                #expect(second.status == 429, "\(route)")
            }
        }
    }

    @Test func `a key counts by address where the route needs none`() async throws {
        try await run("api=2/m") { apps, _ in
            var headers = try await apps[0].keyed(.server)
            headers[.xForwardedFor] = "203.0.113.1"
            for status in [200, 200, 429] {
                #expect(try await apps[0].get("/v1/config", headers: headers).status == status)
            }
            #expect(try await apps[0].get("/v1/usernames/free", headers: headers).status == 200)
        }
    }
}
