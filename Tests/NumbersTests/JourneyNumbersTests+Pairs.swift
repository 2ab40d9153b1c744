import Foundation
import HTTPTypes
import Postgres
import Testing

@testable import AppTesting
@testable import Kernel
@testable import Kith
@testable import Web

/// Friendships of pairs of whom one joined by the other's invite.
extension JourneyNumbersTests {
    /// The active people of today.
    static var activeToday: String {
        let today = DaySpan.day(of: Date(), in: .gmt)
        return "people.active?from=\(today)&to=\(today)"
    }

    @Test func `a pair counts once, however often they part and are friends again`() async throws {
        try await run { app, _ in
            try await makeLink(app)
            for name in ["ann", "zoe"] { try await app.signUp(name) }
            let party = "https://go.example.com/party"
            let asks = try await app.call(.patch, "/v1/me", as: "u-zoe", body: ["invites": "ask"])
            #expect(asks.status == 200, "\(asks.text)")
            for (name, inviter) in [("bob", "ann"), ("cat", "ann"), ("dan", "zoe")] {
                let answer = try await signUp(
                    app, name, [("invite", TestApp.link(inviter, "u-\(inviter)")), ("link", party)])
                #expect(answer.status == 201, "\(answer.text)")
            }
            // Some rounds are counted together, others one by one.
            for round in 0..<4 {
                for (one, other) in [("ann", "bob"), ("cat", "ann"), ("zoe", "dan")] {
                    let parted = try await app.call(.delete, "/v1/friends/u-\(other)", as: "u-\(one)")
                    #expect(parted.status < 300, "\(parted.text)")
                    for (me, friend) in [(other, one), (one, other)] {
                        let asked = try await app.call(.put, "/v1/friends/u-\(friend)", as: "u-\(me)")
                        #expect(asked.status < 300, "\(asked.text)")
                    }
                }
                if round > 1 { try await app.count() }
            }
            #expect(try await total(app, "invites.friendships") == 3)
            #expect(try await total(app, "links.friendships?link=\(party)") == 3)
            #expect(try await total(app, "friendships.made?cause=invite") == 3)
            #expect(try await total(app, "friendships.made") ?? 0 > 12, "that counts each")
            #expect(try await total(app, "invites.sign_ups") == 3)
        }
    }

    @Test func `a pair counts once although one of the two deletes their account`() async throws {
        try await run { app, _ in
            try await app.signUp("ann")
            for name in ["bob", "cat"] { try await app.signUp(name, invite: TestApp.link("ann", "u-ann")) }
            try await app.count()
            for name in ["bob", "cat", "dan"] {
                if name == "dan" { try await app.signUp(name, invite: TestApp.link("ann", "u-ann")) }
                _ = try await app.call(.delete, "/v1/friends/u-ann", as: "u-\(name)")
                _ = try await app.call(.put, "/v1/friends/u-ann", as: "u-\(name)")
                let friends = try await app.call(.put, "/v1/friends/u-\(name)", as: "u-ann")
                #expect(friends["relationship"] == "friends", "\(friends.text)")
                #expect(try await app.call(.delete, "/v1/me", as: "u-\(name)").status < 300)
            }
            try await app.count()
            #expect(try await total(app, "invites.friendships") == 3)
            let left = try await app.db.read.first(
                "SELECT count(*) FROM counts WHERE subject <> '' AND measure = 'invites.friendships'"
            ) { try $0.next(as: Int.self) }
            #expect(left == 0, "a user's own sums go with them")
        }
    }
}
