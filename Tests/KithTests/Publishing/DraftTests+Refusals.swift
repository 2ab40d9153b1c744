import Foundation
import HTTPTypes
import Postgres
import TestSupport
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web

/// What no draft may be, and who may not have it.
extension DraftTests {
    @Test(arguments: [
        (#"{"values":{"greeting":"Hello"}}"#, 400), (#"{"values":{"none":null}}"#, 400),
        (#"{"values":{}}"#, 400), (#"{"apps":{"other":{"hosts":"https://a.example.com"}}}"#, 403),
        (#"{"nothing":{"a":"b"}}"#, 400), ("5", 400),
    ])
    func `a draft that cannot be is refused`(changes: String, status: Int) async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            try await ann.publish(#"{"values":{"greeting":"Hello"}}"#, over: 0)
            let answer = try await ann.put("one", over: 0, changes)
            #expect(answer.status == status, "\(answer.text)")
            #expect(try await ann.call(.put, "/drafts/one", over: nil, "{\"changes\":{}}").status == 428)
            #expect(try await ann.put("a.b", over: 0, #"{"values":{"greeting":"Hi"}}"#)["field"] == "draft")
            #expect(try await ann.put("one", over: 7, #"{"values":{"greeting":"Hi"}}"#).status == 409)
            #expect(try await ann.call(.get, "/drafts")["drafts.0.name"] == nil)
        }
    }

    @Test(arguments: [
        "9223372036854775807", "9223372036854775806", "+0", "-1", "1e3", "", "0000000000000000001",
    ])
    func `a version that nobody was given is refused, and the next call is answered`(version: String)
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            var headers = ann.key
            headers[.ifMatch] = "\"\(version)\""
            let body: Body = #"{"changes":{"values":{"a":"1"}},"reason":"x"}"#
            let draft: Body = #"{"changes":{"values":{"a":"1"}}}"#
            let config = "/v1/admin/config"
            for answer in [
                try await app.call(.put, "\(config)/drafts/one", as: nil, headers: headers, body: draft),
                try await app.call(.delete, "\(config)/drafts/one", as: nil, headers: headers),
                try await app.post(config, as: nil, headers: headers, body),
            ] {
                #expect(answer.status == 400 && answer["field"] == "If-Match", "\(answer.text)")
            }
            #expect(try await ann.call(.get, "/drafts").status == 200)
        }
    }

    @Test func `what a role may not publish it may not delete or replace in a draft`() async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            var admin = try await app.keyed(.admin)
            admin[.ifMatch] = "\"0\""
            let draft = try await app.call(
                .put, "/v1/admin/config/drafts/hosts", as: nil, headers: admin,
                body: #"{"changes":{"apps":{"other":{"name":"Other","hosts":"https://other.example.com"}}}}"#)
            #expect(draft.status == 201, "\(draft.text)")
            let version = try await ann.version("hosts")
            #expect(try await ann.call(.delete, "/drafts/hosts", over: version).status == 403)
            #expect(try await ann.put("hosts", over: version, #"{"values":{"a":"b"}}"#).status == 403)
            #expect(try await ann.publish(draft: "hosts", over: 0).status == 403)
        }
    }
}
