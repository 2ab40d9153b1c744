import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel

/// Two servers on one database.
extension RateLimitTests {
    @Test func `calls that one server allowed count at the other after an exchange`() async throws {
        try await run("usernames=8/m,resolve=8/m", servers: 2) { apps, hand in
            let services = try apps.map(service)
            func look(_ server: Int) async throws -> Int {
                try await apps[server].get("/v1/usernames/ann", as: "u-bob").status
            }
            for _ in 0..<8 { #expect(try await look(0) == 200) }
            #expect(try await look(0) == 429)
            try await services[0].exchange()
            // The other server does not know this caller until they call it.
            for _ in 0..<2 { #expect(try await look(1) == 200) }
            try await services[1].exchange()
            #expect(try await look(1) == 429)
            #expect(try await apps[1].get("/v1/usernames/ann", as: "u-eve").status == 200)
            let body = TestApp.link("ann", "u-ann")
            #expect(try await apps[1].post("/v1/invites/resolve", as: "u-bob", body).status == 404)
            hand.pass(60)
            #expect(try await look(1) == 200)
        }
    }

    @Test func `an exchange gives no call back that the other servers do not know of yet`() async throws {
        try await run("usernames=8/m", servers: 2) { apps, _ in
            let services = try apps.map(service)
            func left(_ server: Int) async throws -> String? {
                try await apps[server].get("/v1/usernames/ann", as: "u-bob").headers[.rateLimit]
            }
            // The third is too few to be shared.
            for remaining in [7, 6, 5] { #expect(try await left(0)?.contains("r=\(remaining);") == true) }
            try await services[0].exchange()
            #expect(try await left(0)?.contains("r=4;") == true)
            // Nor does one that used less.
            for remaining in [7, 6] { #expect(try await left(1)?.contains("r=\(remaining);") == true) }
            try await services[1].exchange()
            #expect(try await left(1)?.contains("r=3;") == true)
        }
    }

    @Test func `clients that call rarely are not shared, and expired rows are deleted`() async throws {
        try await run("usernames=8/m") { apps, _ in
            let (app, service) = (apps[0], try service(apps[0]))
            _ = try await app.get("/v1/usernames/ann", as: "u-bob")
            try await service.exchange()
            #expect(try await app.count("rate_limits") == 0)
            _ = try await app.get("/v1/usernames/ann", as: "u-bob")
            try await service.exchange()
            #expect(try await app.count("rate_limits") == 1)
            let id = User.ID(of: User.UID(stored: "u-bob")).uuid
            #expect(
                try await app.db.read.first("SELECT FROM rate_limits WHERE key = \(id)") { _ in true } == nil)
            try await service.sweep()
            #expect(try await app.count("rate_limits") == 1)
            try await app.db.write.run("UPDATE rate_limits SET full_at = full_at - 3600000000")
            try await service.sweep()
            #expect(try await app.count("rate_limits") == 0)
        }
    }

    @Test func `without the table a server continues alone, and shares its counts later`() async throws {
        try await run("usernames=4/m") { apps, _ in
            let (app, service) = (apps[0], try service(apps[0]))
            try await app.db.write.run("ALTER TABLE rate_limits RENAME TO gone")
            for _ in 0..<4 { #expect(try await app.get("/v1/usernames/ann", as: "u-bob").status == 200) }
            await #expect(throws: PostgresError.self) { try await service.exchange() }
            #expect(try await app.get("/v1/usernames/ann", as: "u-bob").status == 429)
            try await app.db.write.run("ALTER TABLE gone RENAME TO rate_limits")
            try await service.exchange()
            #expect(try await app.count("rate_limits") == 1)
        }
    }
}
