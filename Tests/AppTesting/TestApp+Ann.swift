import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import Kernel

/// A user in every kind of relationship, and what others see of her.
extension TestApp {
    /// The lists of a user that show others.
    private static let lists = [
        "/v1/friends", "/v1/friends?order=name", "/v1/requests?direction=incoming",
        "/v1/requests?direction=outgoing", "/v1/blocks", "/v1/suggestions", "/v1/me/invitees",
    ]

    func seen(by uid: String, others: [String]) async throws -> [String: String] {
        var bodies: [String: String] = [:]
        for path in Self.lists { bodies[path] = try await get(path, as: uid).text }
        for other in others where other != uid {
            for path in ["/v1/users/\(other)", "/v1/friends/\(other)/mutual", "/v1/friends/\(other)/path"] {
                let answer = try await get(path, as: uid)
                bodies[path] = answer.text.replacing(answer["requestId"] ?? "-", with: "")
            }
        }
        bodies["batch"] = try await post("/v1/users", as: uid, ["uids": others]).text
        return bodies
    }

    /// Ann is a friend of fay and fred, who are friends of gus; has asked ozu; was asked by ian, and by dee,
    /// whom she declined; blocks bob, and is blocked by bea; invited kim.
    static let peopleAroundAnn = ["ann", "fay", "fred", "gus", "ozu", "ian", "dee", "bob", "bea", "kim"]
    static var uidsAroundAnn: [String] { peopleAroundAnn.map { "u-\($0)" } }

    func makeAnnInEveryRelation() async throws {
        try await signUp("ann")
        for name in Self.peopleAroundAnn.dropFirst() where name != "kim" { try await signUp(name) }
        try await signUp("kim", invite: Self.link("ann", "u-ann"))
        for (one, other) in [
            ("ann", "fay"), ("ann", "fred"), ("fay", "gus"), ("fred", "gus"), ("fay", "fred"),
        ] {
            try await befriend("u-\(one)", "u-\(other)")
        }
        for (one, other) in [("ann", "ozu"), ("ian", "ann"), ("dee", "ann")] {
            #expect(
                try await put("/v1/friends/u-\(other)", as: "u-\(one)", [:])["relationship"]
                    == "outgoing")
        }
        _ = try await call(.delete, "/v1/friends/u-dee", as: "u-ann")
        _ = try await call(.put, "/v1/blocks/u-bob", as: "u-ann")
        _ = try await call(.put, "/v1/blocks/u-ann", as: "u-bea")
    }

    func changes(as uid: String, after: String?) async throws -> (
        [String: String], String
    ) {
        let answer = try await get(
            "/v1/me/changes\(after.map { "?after=\($0)" } ?? "")", as: uid)
        let changes = answer.json["changes"] as? [[String: Any]] ?? []
        let pairs = changes.compactMap { change -> (String, String)? in
            guard let uid = change["uid"] as? String, let state = change["relationship"] as? String else {
                return nil
            }
            return (uid, state)
        }
        return (Dictionary(pairs) { $1 }, try #require(answer["next"], "\(answer.text)"))
    }

    func keyed(_ scope: APIKey.Scope = .admin) async throws -> HTTPFields {
        [.authorization: "Bearer \(try await APIKeyStore(db: db).create(name: "test", scope: scope))"]
    }

    /// Gives every change a number, so that `numbers` shows what changes from now on.
    func numberChanges() async throws {
        try await db.write.run("UPDATE users SET changes = greatest(changes, 1)")
        try await db.write.run("UPDATE relationships SET change = 1 WHERE change IS NULL")
    }

    /// The number by which delta sync orders each user's row about ann; `new` if it has none yet.
    func numbers() async throws -> [String: String] {
        let rows = try await db.write.query(
            """
            SELECT u.uid, coalesce(r.change::text, 'new') FROM relationships r JOIN users u ON u.id = r.user_id
            WHERE r.other_uid = 'u-ann'
            """
        ) { try ($0.next(as: String.self), $0.next(as: String.self)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// The only users to whom Ann's deletion is visible.
    static let uidsWhoSeeAnn: Set = ["u-fay", "u-fred", "u-kim", "u-ozu"]

    func circle(of size: Int) async throws -> [String] {
        var uids: [String] = []
        for number in 0..<size {
            let uid = try await signUp("user\(number)")
            for other in uids { try await befriend(uid, other) }
            uids.append(uid)
        }
        return uids
    }
}
