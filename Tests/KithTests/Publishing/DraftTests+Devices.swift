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

/// What test devices see.
extension DraftTests {
    @Test func `a test device sees the values, variations and policies of its draft, and counts nowhere`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            try await ann.publish(#"{"values":{"button":"Buy"}}"#, over: 0)
            let draft = """
                {"values":{"button":"Order"},"experiments":{"shop":\(Self.experiment)},
                 "policies":{"min":{"platform":"ios","when":{"version":{"lt":"2"}},"action":"soft","target":"2"}}}
                """
            #expect(try await ann.put("spring", over: 0, draft).status == 201)
            let device = try await ann.device("phone-1", #","draft":"spring","variations":{"shop":"b"}"#)
            #expect(device.status == 204, "\(device.text)")

            let seen = try await ann.values("phone-1")
            #expect(seen["values.button"] == "Get" && seen["experiments.0.variation"] == "b", "\(seen.text)")
            #expect(seen.headers[.kithTestDevice] == "phone")
            let other = try await ann.values("phone-2")
            #expect(other["values.button"] == "Buy" && other.headers[.kithTestDevice] == nil)
            let policy = try await ann.policy("phone-1")
            #expect(policy["action"] == "soft" && policy.headers[.cacheControl] == "private, max-age=0")
            #expect(try await ann.policy("phone-2")["action"] == "none")

            let exposure: Body = """
                {"unit":"phone-1","experiment":"shop","phase":1,"variation":"b","assignment":"\(seen["experiments.0.assignment"] ?? "")"}
                """
            let exposed = try await app.post("/v1/exposures", as: nil, headers: ann.client, exposure)
            #expect(exposed.status == 204, "\(exposed.text)")
            let counted = try await app.db.read.first("SELECT count(*) FROM exposures") {
                try $0.next(as: Int64.self)
            }
            #expect(counted == 0)
            // What the phone keeps counts for no other, nor once it is a phone as all others.
            let kept = Body(stringLiteral: exposure.json.replacing("phone-1", with: "phone-2"))
            #expect(try await app.post("/v1/exposures", as: nil, headers: ann.client, kept).status == 404)
            let versions = app.app.versionCounts.take()
            #expect(versions.values.reduce(0) { $0 + $1.number } == 1, "only the other phone's call")

            // It sees what is published again once the draft is.
            let published = try await ann.publish(draft: "spring", over: 1)
            #expect(published.status == 201, "\(published.text)")
            try await ann.follow()
            #expect(try await ann.call(.get, "/test-devices")["devices.0.draft"] == nil)
            #expect(try await ann.values("phone-1")["values.button"] == "Get")
            #expect(try await ann.values("phone-2")["values.button"] == "Order")
            #expect(try await ann.call(.delete, "/test-devices/phone").status == 204)
            try await ann.follow()
            #expect(try await ann.values("phone-1")["values.button"] == "Order")
            #expect(try await ann.call(.delete, "/test-devices/phone").code == "device_not_found")
        }
    }

    @Test func `devices that take a draft while it is deleted see it or are told that it is gone`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            for turn in 0..<5 {
                #expect(try await ann.put("one", over: 0, #"{"values":{"greeting":"Hi"}}"#).status == 201)
                let version = try await ann.version("one")
                let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<6 {
                        group.addTask {
                            if number == 3 {
                                return try await ann.call(.delete, "/drafts/one", over: version).status
                            }
                            let device: Body = "{\"unit\":\"u\(number)\",\"draft\":\"one\"}"
                            return try await ann.call(
                                .put, "/test-devices/d\(number)", over: nil, device
                            ).status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.allSatisfy { [204, 404].contains($0) }, "\(turn): \(statuses)")
                let left = try await app.db.read.first(
                    "SELECT count(*) FROM test_devices WHERE draft IS NOT NULL"
                ) { try $0.next(as: Int64.self) }
                #expect(left == 0)
            }
        }
    }

    @Test func `a device whose draft does not fit any more sees what is published`() async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            try await ann.publish(#"{"values":{"button":"Buy"}}"#, over: 0)
            let first = "{\"values\":{\"color\":\"red\"},\"experiments\":{\"one\":\(Self.experiment)}}"
            #expect(try await ann.put("one", over: 0, first).status == 201)
            _ = try await ann.device("phone-1", #","draft":"one","variations":{"one":"b"}"#)
            #expect(try await ann.values("phone-1")["values.button"] == "Get")
            try await ann.publish("{\"experiments\":{\"other\":\(Self.experiment)}}", over: 1)
            let left = try await ann.values("phone-1")
            #expect(left["values.button"] == "Buy" && left["values.color"] == nil, "all of it or nothing")
            let seen = try await ann.call(.get, "/drafts/one")
            #expect(seen["mistakes.0"]?.contains("changes button") == true, "\(seen.text)")
            let refused = try await ann.publish(draft: "one", over: 2)
            #expect(refused.status == 400, "\(refused.text)")
        }
    }

    @Test(arguments: [
        (Body(stringLiteral: #"{"unit":""}"#), 400, "unit"),
        (#"{"unit":"a\u0000b"}"#, 400, "unit"), (#"{"unit":5}"#, 400, "unit"), (#"{}"#, 400, "unit"),
        (#"{"unit":"u","draft":5}"#, 400, "draft"),
        (#"{"unit":"u","draft":"none"}"#, 404, nil), (#"{"unit":"u","draft":"../x"}"#, 404, nil),
        (#"{"unit":"u","variations":{"a b":"c"}}"#, 400, "variations"),
        (#"{"unit":"u","variations":{"a":5}}"#, 400, "variations"),
        (#"{"unit":"u","name":"x"}"#, 400, "name"),
    ])
    func `a device that cannot be is refused`(body: Body, status: Int, field: String?) async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            let answer = try await ann.call(.put, "/test-devices/phone", over: nil, body)
            #expect(answer.status == status && answer["field"] == field, "\(answer.text)")
            #expect(try await ann.call(.get, "/test-devices")["devices.0.name"] == nil)
        }
    }

    @Test func `of those who make a unit a device at once all get an answer, and it is one device`()
        async throws
    {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            for _ in 0..<4 {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let device: Body = "{\"unit\":\"u\(number % 2)\"}"
                            return try await ann.call(
                                .put, "/test-devices/d\(number / 2)", over: nil, device
                            ).status
                        }
                    }
                    for try await status in group { #expect([204, 409].contains(status)) }
                }
            }
            let units = try await app.db.read.query("SELECT unit FROM test_devices") {
                try $0.next(as: UUID.self)
            }
            #expect(Set(units).count == units.count && (1...2).contains(units.count))
        }
    }

    @Test func `a device leaves what it was counted for, and its variations must be some`() async throws {
        try await TestApp.run { app in
            let ann = try await Designer(app)
            try await ann.publish("{\"experiments\":{\"shop\":\(Self.experiment)}}", over: 0)
            let unit = try #require(ExperimentUnit("phone-1"))
            try await ExperimentStore(db: app.db).expose([
                Exposure(unit: unit.id, experiment: "shop", phase: 1, variation: "b")
            ])
            for given in [#"{"shop":"c"}"#, #"{"other":"b"}"#] {
                let refused = try await ann.device("phone-1", ",\"variations\":\(given)")
                #expect(refused.status == 400 && refused["field"] == "variations", "\(refused.text)")
            }
            let results = "/v1/admin/experiments/shop/results"
            #expect(try await app.get(results, headers: ann.key)["variations.1.units"] == "1")
            #expect(try await ann.device("phone-1", #","variations":{"shop":"b"}"#).status == 204)
            #expect(try await app.get(results, headers: ann.key)["variations.1.units"] == "0")
            let assignment = try #require(try await ann.values("phone-1")["experiments.0.assignment"])
            #expect(try await ann.call(.delete, "/test-devices/phone").status == 204)
            try await ann.follow()
            let exposure: Body = """
                {"unit":"phone-1","experiment":"shop","phase":1,"variation":"b","assignment":"\(assignment)"}
                """
            #expect(try await app.post("/v1/exposures", as: nil, headers: ann.client, exposure).status == 409)
        }
    }

    @Test func `the app's key shows no draft for a user, whose uid is public, but their token does`()
        async throws
    {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let ann = try await Designer(app)
            try await ann.publish(#"{"values":{"launch":"soon"}}"#, over: 0)
            #expect(try await ann.put("secret", over: 0, #"{"values":{"launch":"Monday"}}"#).status == 201)
            #expect(try await ann.device("u-ann", #","draft":"secret""#).status == 204)
            #expect(try await ann.values("u-ann")["values.launch"] == "soon")
            let policy = try await ann.policy("u-ann")
            #expect(policy.headers[.kithTestDevice] == nil)
            let own = try await app.get("/v1/values?platform=ios&unit=u-ann", as: "u-ann")
            #expect(own["values.launch"] == "Monday", "\(own.text)")
            let backend = try await app.get(
                "/v1/values?platform=ios&unit=u-ann", headers: app.keyed(.server))
            #expect(backend["values.launch"] == "Monday")
        }
    }
}
