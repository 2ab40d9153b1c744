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

/// Drafts of what operators set, and the test devices that see them.
@Suite(.inTurns) struct DraftTests {
    struct Designer {
        let app: TestApp
        let key: HTTPFields
        let client: HTTPFields

        init(_ app: TestApp) async throws {
            self.app = app
            (key, client) = (try await app.keyed(.growth), try await app.keyed(.client))
        }

        func call(
            _ method: HTTPRequest.Method, _ path: String, over version: Int? = nil, _ body: Body? = nil
        ) async throws -> TestApp.Answer {
            var headers = key
            headers[.ifMatch] = version.map { "\"\($0)\"" }
            return try await app.call(
                method, "/v1/admin/config\(path)", as: nil, headers: headers, body: body)
        }

        /// The version of a draft.
        func version(_ name: String) async throws -> Int {
            try #require(Int(try await call(.get, "/drafts/\(name)")["draft.version"] ?? ""))
        }

        /// Publishes the version of a draft that there is.
        func publish(draft name: String, over revision: Int, _ fields: String = "") async throws
            -> TestApp.Answer
        {
            let version = try await version(name)
            return try await call(
                .post, "/drafts/\(name)/publication", over: revision,
                "{\"reason\":\"a test\",\"version\":\(version)\(fields)}")
        }

        func put(_ name: String, over version: Int, _ changes: String) async throws -> TestApp.Answer {
            try await call(.put, "/drafts/\(name)", over: version, "{\"changes\":\(changes)}")
        }

        func publish(_ changes: String, over revision: Int) async throws {
            let answer = try await call(
                .post, "", over: revision, "{\"changes\":\(changes),\"reason\":\"a test\"}")
            #expect(answer.status == 201, "\(answer.text)")
            try await follow()
        }

        /// Makes `unit` a test device, and lets the server see it.
        func device(_ unit: String, _ fields: String = "") async throws -> TestApp.Answer {
            let answer = try await call(
                .put, "/test-devices/phone", over: nil, "{\"unit\":\"\(unit)\"\(fields)}")
            try await follow()
            return answer
        }

        func follow() async throws {
            try await app.app.testDevices.follow()
            try await app.app.policies.follow()
            try await app.app.experiments.caches.values.follow()
            try await app.app.experiments.caches.experiments.follow()
        }

        func values(_ unit: String) async throws -> TestApp.Answer {
            try await app.get("/v1/values?platform=ios&unit=\(unit)", headers: client)
        }

        func policy(_ installation: String) async throws -> TestApp.Answer {
            try await app.get(
                "/v1/policy?platform=ios&version=1.0&installationId=\(installation)", headers: client)
        }
    }

    static let experiment = """
        {"goal":"bought","coverage":"0","variations":{"control":{"weight":"50"},"b":{"weight":"50","values":{"button":"Get"}}}}
        """

    @Test func `a draft is kept, compared with the state, changed and published, and then it is gone`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            try await ann.publish(#"{"values":{"greeting":"Hello"}}"#, over: 0)
            let kept = try await ann.put("spring", over: 0, #"{"values":{"greeting":"Hi"}}"#)
            let first = try await ann.version("spring")
            #expect(kept.status == 201 && kept.headers[.eTag] == "\"\(first)\"", "\(kept.text)")
            #expect(kept["plan.lines.0"] == "~ values.greeting.value: Hello → Hi")
            #expect(try await ann.values("other")["values.greeting"] == "Hello")
            let changed = try await ann.put("spring", over: first, #"{"values":{"greeting":"Hey"}}"#)
            let second = try await ann.version("spring")
            #expect(changed.status == 200 && changed.headers[.eTag] == "\"\(second)\"" && second > first)
            let list = try await ann.call(.get, "/drafts")
            #expect(list["drafts.0.name"] == "spring" && list["drafts.0.version"] == "\(second)")
            #expect(list["drafts.0.items.0"] == "values.greeting")
            let unseen = try await ann.call(
                .post, "/drafts/spring/publication", over: 1, "{\"reason\":\"x\",\"version\":\(first)}")
            #expect(unseen.status == 409, "nobody publishes what they did not see")
            let dry = try await ann.publish(draft: "spring", over: 1, #","dryRun":true"#)
            #expect(dry.status == 200 && dry["changes.0.after.value"] == "Hey", "\(dry.text)")
            let published = try await ann.publish(draft: "spring", over: 1)
            #expect(published.status == 201 && published["revision"] == "2", "\(published.text)")
            #expect(try await ann.call(.get, "/drafts/spring").code == "draft_not_found")
            #expect(try await ann.call(.get, "/items/values/greeting")["value"] == "Hey")
        }
    }

    @Test func `a draft that is overtaken says so, and is published only by force`() async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            try await ann.publish(#"{"values":{"greeting":"Hello","button":"Buy"}}"#, over: 0)
            #expect(try await ann.put("one", over: 0, #"{"values":{"greeting":"Hi"}}"#).status == 201)
            try await ann.publish(#"{"values":{"button":"Order"}}"#, over: 1)
            #expect(try await ann.call(.get, "/drafts/one")["overtaken.0"] == nil)
            try await ann.publish(#"{"values":{"greeting":"Servus"}}"#, over: 2)
            let seen = try await ann.call(.get, "/drafts/one")
            #expect(seen["overtaken.0"] == "values.greeting", "\(seen.text)")
            let refused = try await ann.publish(draft: "one", over: 3)
            #expect(refused.status == 409 && refused.code == "changed_later", "\(refused.text)")
            let blind = try await ann.publish(draft: "one", over: 2)
            #expect(blind.code == "changed_meanwhile")
            let forced = try await ann.publish(draft: "one", over: 3, #","force":["values.greeting"]"#)
            #expect(forced.status == 201, "\(forced.text)")
        }
    }

    @Test
    func `of those who keep the same draft at once one wins, and of those who change, publish or delete it`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await ann.put("one", over: 0, "{\"values\":{\"greeting\":\"\(number)\"}}").status
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 1, 409: 9])
            let version = try await ann.version("one")
            let ends = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<9 {
                    group.addTask {
                        switch number % 3 {
                        case 0: try await ann.call(.delete, "/drafts/one", over: version).status
                        case 1:
                            try await ann.call(
                                .post, "/drafts/one/publication", over: 0,
                                "{\"reason\":\"x\",\"version\":\(version)}"
                            ).status
                        default:
                            try await ann.put(
                                "one", over: version, "{\"values\":{\"greeting\":\"x\(number)\"}}"
                            )
                            .status
                        }
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(ends.filter { $0 < 300 }.count == 1, "\(ends)")
            #expect(ends.allSatisfy { [200, 201, 204, 404, 409].contains($0) }, "\(ends)")
        }
    }

    @Test func `there is a bound for drafts and for devices, and a unit is one device`() async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            try await app.db.write.batch([
                """
                INSERT INTO config_drafts (name, version, revision, names, items, actor)
                SELECT 'draft' || n, 1, 0, '{values.a}', '[{"section":"values","key":"a"}]', 'command:x@y' FROM generate_series(1, 100) n
                """,
                """
                INSERT INTO test_devices (name, unit, variations, actor)
                SELECT 'device' || n, md5('device' || n)::uuid, '{}', 'command:x@y' FROM generate_series(1, 99) n
                """,
            ])
            let change = #"{"values":{"greeting":"Hello"}}"#
            #expect(try await ann.put("one", over: 0, change).code == "too_many_drafts")
            #expect(try await ann.put("draft1", over: 1, change).status == 200)
            for (name, unit) in [("phone", "u"), ("tablet", "v")] {
                let answer = try await ann.call(
                    .put, "/test-devices/\(name)", over: nil, "{\"unit\":\"\(unit)\"}")
                #expect(answer.status == (name == "phone" ? 204 : 409), "\(answer.text)")
            }
            #expect(
                try await ann.call(.put, "/test-devices/tablet", over: nil, #"{"unit":"u"}"#).status == 204)
            let names = try await app.db.read.query("SELECT name FROM test_devices") {
                try $0.next(as: String.self)
            }
            #expect(names.contains("tablet") && !names.contains("phone"))
        }
    }

    @Test func `a device that is a user goes with their account`() async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let ann = try await Designer(app)
            #expect(try await ann.device("u-ann").status == 204)
            #expect(try await app.call(.delete, "/v1/me", as: "u-ann").status == 204)
            #expect(try await ann.call(.get, "/test-devices")["devices.0.name"] == nil)
            #expect(try await ann.device("u-ann").code == "account_deleted")
        }
    }

    @Test func `a draft of the same name that comes later has another version`() async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            #expect(try await ann.put("one", over: 0, #"{"values":{"greeting":"Hi"}}"#).status == 201)
            let old = try await ann.version("one")
            #expect(try await ann.call(.delete, "/drafts/one", over: old).status == 204)
            #expect(try await ann.put("one", over: 0, #"{"values":{"greeting":"Hey"}}"#).status == 201)
            #expect(try await ann.put("one", over: old, #"{"values":{"greeting":"Ho"}}"#).status == 409)
            #expect(try await ann.call(.delete, "/drafts/one", over: old).status == 409)
        }
    }

    @Test func `a draft that others have published goes when it is published`() async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            #expect(try await ann.put("one", over: 0, #"{"values":{"greeting":"Hi"}}"#).status == 201)
            try await ann.publish(#"{"values":{"greeting":"Hi"}}"#, over: 0)
            let answer = try await ann.publish(draft: "one", over: 1)
            #expect(answer.status == 200 && answer["revision"] == "1", "\(answer.text)")
            #expect(try await ann.call(.get, "/drafts/one").code == "draft_not_found")
        }
    }

    @Test func `what is done to drafts and devices is in the audit`() async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            _ = try await ann.put("one", over: 0, #"{"values":{"greeting":"Hello"}}"#)
            _ = try await ann.call(.delete, "/drafts/one", over: try await ann.version("one"))
            _ = try await ann.device("phone-1")
            _ = try await ann.call(.delete, "/test-devices/phone")
            let acts = try await app.db.read.query("SELECT act FROM audit ORDER BY at") {
                try $0.next(as: String.self)
            }
            #expect(
                acts.filter { !$0.hasSuffix("_key") } == [
                    "put_draft", "delete_draft", "put_test_device", "delete_test_device",
                ])
        }
    }
}
