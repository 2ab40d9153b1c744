import Foundation
import HTTPTypes
import Postgres
import Synchronization
import TestSupport
import Testing

@testable import AppTesting
@testable import Graph
@testable import Kernel

/// Friends in common, suggestions and paths, compared with a computation in memory.
@Suite(.inTurns) struct FriendGraphTests {
    /// A random graph: the friends of each uid.
    private func graph(_ app: TestApp, people count: Int, friendships: Int) async throws -> (
        people: [String], friends: [String: Set<String>]
    ) {
        let people = try await app.people("p", count)
        var friends: [String: Set<String>] = [:]
        var random = SeededGenerator()
        for _ in 0..<friendships {
            // Squared, so that a few users have many friends.
            let one = people[Int(Double(count) * pow(.random(in: 0..<1, using: &random), 2))]
            let two = people[Int.random(in: 0..<count, using: &random)]
            guard one != two, friends[one]?.contains(two) != true else { continue }
            friends[one, default: []].insert(two)
            friends[two, default: []].insert(one)
            try await app.db.write.batch(
                FriendStore.write(
                    .init(uid: User.UID(stored: one), wants: true),
                    .init(uid: User.UID(stored: two), wants: true),
                    FriendLimits()))
        }
        return (people, friends)
    }

    @Test func `friends in common are counted, and listed by pages`() async throws {
        try await TestApp.run { app in
            let (people, friends) = try await graph(app, people: 30, friendships: 200)
            for other in people.dropFirst() {
                let common = (friends[people[0]] ?? []).intersection(friends[other] ?? [])
                let path = "/v1/friends/\(other)/mutual"
                #expect(try await Set(app.list(path, "friends", as: people[0], limit: 2)) == common)
                #expect(try await app.get(path, as: people[0])["count"] == "\(common.count)")
            }
        }
    }

    @Test func `nobody has friends in common with somebody whom they block, but with who blocks them`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 3)
            for other in people.dropFirst() { try await app.befriend(people[0], other) }
            func common(_ me: String, _ other: String) async throws -> (String?, [String]) {
                let path = "/v1/friends/\(other)/mutual"
                return try await (
                    app.get(path, as: me)["count"], app.list(path, "friends", as: me)
                )
            }
            #expect(try await common(people[1], people[2]) == ("1", [people[0]]))
            try await app.act(.block, people[1], on: people[2])
            #expect(try await common(people[1], people[2]) == ("0", []))
            #expect(try await common(people[2], people[1]) == ("1", [people[0]]))
        }
    }

    @Test func `suggestions are friends of friends in Adamic and Adar's order, with friends in common`()
        async throws
    {
        try await TestApp.run { app in
            let (people, friends) = try await graph(app, people: 60, friendships: 220)
            for me in people.prefix(10) {
                let mine = friends[me] ?? []
                var scores: [String: Double] = [:]
                for friend in mine {
                    let theirs = friends[friend] ?? []
                    for other in theirs where other != me && !mine.contains(other) {
                        scores[other, default: 0] += 1 / log(Double(max(theirs.count, 2)))
                    }
                }
                let answer = try await app.get("/v1/suggestions?limit=100", as: me)
                let found = answer.json["suggestions"] as? [[String: Any]] ?? []
                let uids = found.compactMap { $0["uid"] as? String }
                #expect(Set(uids) == Set(scores.keys))
                let ranked = uids.map { scores[$0] ?? 0 }
                #expect(zip(ranked, ranked.dropFirst()).allSatisfy { $0 >= $1 - 1e-9 })
                for suggestion in found {
                    let common = mine.intersection(friends[suggestion["uid"] as? String ?? ""] ?? [])
                    let through = (suggestion["through"] as? [[String: Any]] ?? []).compactMap {
                        $0["uid"] as? String
                    }
                    #expect(suggestion["mutualFriends"] as? Int == common.count)
                    #expect(Set(through).isSubset(of: common))
                    #expect(through.count == min(3, common.count))
                }
            }
        }
    }

    @Test func `a shared friend with few friends counts more than one who knows everybody`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 20)
            let (ann, hub, quiet) = (people[0], people[1], people[2])
            let (viaHub, viaQuiet) = (people[3], people[4])
            for (one, two) in [(ann, hub), (ann, quiet), (hub, viaHub), (quiet, viaQuiet)]
                + people[5...].map({ (hub, $0) })
            {
                try await app.befriend(one, two)
            }
            let suggested = try await app.get("/v1/suggestions?limit=1", as: ann)
            #expect((suggested.json["suggestions"] as? [[String: Any]])?.first?["uid"] as? String == viaQuiet)
            #expect(viaHub != viaQuiet)
        }
    }

    @Test
    func `users asked, asking, declined, blocked, away or dismissed are not suggested`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 11)
            let (ann, common) = (people[0], people[1])
            for uid in [ann] + people[2...] { try await app.befriend(uid, common) }
            func suggested() async throws -> Set<String> {
                let answer = try await app.get("/v1/suggestions", as: ann)
                return Set(
                    (answer.json["suggestions"] as? [[String: Any]] ?? []).compactMap { $0["uid"] as? String }
                )
            }
            #expect(try await suggested() == Set(people[2...]))
            try await app.act(.want, ann, on: people[2])
            try await app.act(.want, people[3], on: ann)
            try await app.act(.want, people[4], on: ann)
            try await app.act(.unwant, ann, on: people[4])
            try await app.act(.unwant, people[4], on: ann)
            try await app.act(.block, ann, on: people[5])
            try await app.act(.block, people[6], on: ann)
            try await app.setStatus("suspended", of: people[7])
            for _ in 1...2 {
                #expect(try await app.call(.delete, "/v1/suggestions/\(people[8])", as: ann).status == 204)
            }
            try await app.befriend(ann, people[9])
            // A user who blocks them is suggested like any other.
            #expect(try await suggested() == [people[6], people[10]])
        }
    }

    @Test func `degrees and paths are right for every pair of a random graph`() async throws {
        try await TestApp.run { app in
            let (people, friends) = try await graph(app, people: 40, friendships: 45)
            for me in people.prefix(4) {
                var (distance, frontier) = ([me: 0], [me])
                while !frontier.isEmpty {
                    let one = frontier.removeFirst()
                    for next in friends[one] ?? [] where distance[next] == nil {
                        distance[next] = (distance[one] ?? 0) + 1
                        frontier.append(next)
                    }
                }
                for other in people where other != me {
                    let answer = try await app.get("/v1/friends/\(other)/path", as: me)
                    let degrees = answer.json["degrees"] as? Int
                    #expect(degrees == distance[other].flatMap { $0 <= 3 ? $0 : nil })
                    let way =
                        [me]
                        + (answer.json["path"] as? [[String: Any]] ?? []).compactMap { $0["uid"] as? String }
                    #expect(zip(way, way.dropFirst()).allSatisfy { friends[$0]?.contains($1) == true })
                    #expect(
                        degrees == nil ? way == [me] : way.last == other && way.count == (degrees ?? 0) + 1)
                }
            }
        }
    }

    /// The search for a path starts from the side with fewer friends.
    @Test(arguments: ["block", "blocked", "suspended"], [0, 3])
    func `a path does not lead over users who may not be seen`(why: String, more: Int) async throws {
        try await TestApp.run { app in
            let people = try await app.people("p", 4)
            for pair in zip(people, people.dropFirst()) { try await app.befriend(pair.0, pair.1) }
            for uid in try await app.people("more", more) { try await app.befriend(people[0], uid) }
            for (me, other) in [(people[0], people[3]), (people[3], people[0])] {
                #expect(try await app.get("/v1/friends/\(other)/path", as: me)["degrees"] == "3")
            }
            switch why {
            case "block": try await app.act(.block, people[0], on: people[2])
            case "blocked": try await app.act(.block, people[2], on: people[0])
            default: try await app.setStatus("suspended", of: people[2])
            }
            // A path over a user who blocks them remains: its loss would reveal the block.
            let degrees = try await app.get("/v1/friends/\(people[3])/path", as: people[0])["degrees"]
            #expect(degrees == (why == "blocked" ? "3" : nil))
        }
    }

    /// Lists of requests show these counts, and other lists must not wait for a walk.
    @Test func `friends in common are counted on the lane of walks, one call at a time for a user`()
        async throws
    {
        try await TestApp.run { app in
            let people = try await app.people("p", 4)
            for uid in people[2...3] { try await app.befriend(people[0], uid) }
            try await app.befriend(people[1], people[2])
            try await app.act(.want, people[0], on: people[1])
            let lists = [(people[0], "outgoing"), (people[1], "incoming")]
            for (uid, direction) in lists {
                let path = "/v1/requests?direction=\(direction)"
                #expect(try await app.list(path, "requests", "mutualFriends", as: uid) == ["1"])
                let walking = try await app.db.transaction { held in
                    try await held.run("SELECT FROM (SELECT pg_advisory_xact_lock(7)) held")
                    let walk = Task {
                        try await app.db.walks.with(key: User.ID(of: User.UID(stored: uid))).run(
                            "SELECT FROM (SELECT pg_advisory_xact_lock(7)) walk")
                    }
                    try await app.untilSomebodyWaits()
                    let answered = Mutex(false)
                    let asked = Task {
                        let requests = try await app.requests(direction, uid)
                        answered.withLock { $0 = true }
                        return requests
                    }
                    for _ in 0..<5 {
                        #expect(try await app.get("/v1/friends", as: uid).status == 200)
                        #expect(try await app.get("/v1/requests", as: people[3]).status == 200)
                    }
                    #expect(!answered.withLock { $0 })
                    return (walk, asked)
                }
                _ = try await walking.0.value
                #expect(try await walking.1.value.count == 1)
            }
        }
    }
}
