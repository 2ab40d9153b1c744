import Foundation

// The user's own things, and friends.
extension KithClient {
    /// The caller's profile, link, and counts for a badge.
    public func me() async throws -> Me { try await send(Call(path: "/v1/me")) }

    /// Changes the profile, or what the user's invites do.
    public func update(_ change: ProfileChange) async throws -> Account {
        try await send(Call(method: "PATCH", path: "/v1/me", body: change))
    }

    public func rename(to username: String) async throws -> Account {
        try await send(Call(method: "PUT", path: "/v1/me/username", body: ["username": username]))
    }

    /// Gives the user's link a new code, and kills the old one.
    public func rotateLink() async throws -> InviteLink {
        try await send(Call(method: "POST", path: "/v1/me/invite/rotate", idempotencyKey: UUID().uuidString))
    }

    /// Deletes the account for ever.
    public func deleteAccount() async throws { _ = try await answer(Call(method: "DELETE", path: "/v1/me")) }

    /// What a screen for adding friends shows: me, my link and its QR symbol, and who asks.
    public func addFriendScreen() async throws -> AddFriendScreen {
        async let me = me()
        async let requests = requests()
        return try await AddFriendScreen(me: me, requests: requests.entries)
    }

    /// Friends, newest first; with a prefix those whose name begins so.
    public func friends(prefix: String? = nil, after: String? = nil, limit: Int = 100) async throws -> Page<
        Friend
    > {
        struct Answer: Decodable {
            let friends: [Friend]
            let next: String?
        }
        let query = [
            ("limit", String(limit)), ("after", after), ("prefix", prefix?.isEmpty == true ? nil : prefix),
        ]
        let answer: Answer = try await send(Call(path: "/v1/friends", query: query))
        return Page(entries: answer.friends, next: answer.next)
    }

    public enum Direction: String, Sendable { case incoming, outgoing }

    /// Requests that wait for an answer: by default those to the caller.
    public func requests(
        _ direction: Direction = .incoming, after: String? = nil, limit: Int = 100
    ) async throws -> Page<FriendRequest> {
        struct Answer: Decodable {
            let requests: [FriendRequest]
            let next: String?
        }
        let query = [("limit", String(limit)), ("after", after), ("direction", direction.rawValue)]
        let answer: Answer = try await send(Call(path: "/v1/requests", query: query))
        return Page(entries: answer.requests, next: answer.next)
    }

    /// Asks a user, or accepts if they asked.
    public func want(_ uid: String) async throws -> Relationship { try await act("PUT", "friends", uid) }

    /// Cancels a request, declines one, or ends a friendship.
    public func unwant(_ uid: String) async throws -> Relationship { try await act("DELETE", "friends", uid) }

    public func block(_ uid: String) async throws -> Relationship { try await act("PUT", "blocks", uid) }

    public func unblock(_ uid: String) async throws -> Relationship { try await act("DELETE", "blocks", uid) }

    private func act(_ method: String, _ list: String, _ uid: String) async throws -> Relationship {
        struct Answer: Decodable { let relationship: Relationship }
        return try await send(
            Call(method: method, path: "/v1/\(list)/\(Call.part(uid))"), as: Answer.self
        ).relationship
    }

    /// One user; 404 `user_not_found` also for one who is gone.
    public func user(_ uid: String) async throws -> Person {
        try await send(Call(path: "/v1/users/\(Call.part(uid))"))
    }

    /// The user who has a name now.
    public func user(named username: String) async throws -> Person {
        try await send(Call(path: "/v1/users", query: [("username", username)]))
    }

    /// Many users, as for a leaderboard; those who are gone have no name.
    public func users(_ uids: [String]) async throws -> [Person] {
        struct Answer: Decodable { let users: [Person] }
        var users: [Person] = []
        for start in stride(from: 0, to: uids.count, by: 100) {
            let body = ["uids": Array(uids[start..<min(start + 100, uids.count)])]
            users += try await send(Call(method: "POST", path: "/v1/users", body: body), as: Answer.self)
                .users
        }
        return users
    }
}

/// What a screen for adding friends shows.
public struct AddFriendScreen: Hashable, Sendable {
    public let me: Me
    /// Who asks, newest first.
    public let requests: [FriendRequest]

    /// To share.
    public var link: URL { me.link.url }
    /// The picture of the QR symbol.
    public var qr: URL { me.link.qr.png }
}
