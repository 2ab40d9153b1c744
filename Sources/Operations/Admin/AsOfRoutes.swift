import Foundation
package import Hummingbird
package import Kernel
package import Web

/// Routes that tell operators how things were at a time.
package struct AsOfRoutes {
    package let names: NameRecordStore
    package let friendships: FriendshipAsOfStore
    package let world: World

    package init(names: NameRecordStore, friendships: FriendshipAsOfStore, world: World) {
        self.names = names
        self.friendships = friendships
        self.world = world
    }

    package struct NameResponse: ResponseEncodable {
        let username: String
        let at: Date
        let answer: Answer
        /// The user who had it then, and when. Nil if nobody is known.
        let user: UserRecord.Brief?
        let period: NameRecord.Period?
        let now: NameRecord

        enum Answer: String, Encodable {
            case user, nobody
            /// Nobody who has an account had it. A deleted account leaves no trace of its names.
            case unknown
        }
    }

    /// `GET /v1/admin/usernames/{username}?at=` tells who had a name at a time, and who has it now.
    @Sendable package func name(_ request: Request, context: AdminContext) async throws -> NameResponse {
        let name = try Username.Key.pasted(
            context.parameters.get("username").flatMap { PercentEncoding.decode($0.utf8) })
        let at = try time(request)
        let tenure = try await names.tenure(of: name, at: at)
        let now = try await names.find(name)
        let answer: NameResponse.Answer =
            tenure != nil ? .user : now.wasFree(at: at) ? .nobody : .unknown
        return NameResponse(
            username: name.text, at: at, answer: answer, user: tenure?.user, period: tenure?.period, now: now)
    }

    package struct FriendsResponse: ResponseEncodable {
        let at: Date
        let answer: Answer
        /// When the friendship at that time began, if that is known.
        let since: Date?
        /// The time from which on the answer is always known.
        let knownFrom: Date
        /// When the present friendship began. Nil if they are not friends.
        let friendsSince: Date?

        enum Answer: String, Encodable {
            case friends
            case notFriends = "not_friends"
            case unknown
        }
    }

    /// `GET /v1/admin/friends/{uid}/{other}?at=` tells whether two users were friends at a time: whether both
    /// wanted to be, and neither blocked the other. A suspension ends no friendship.
    @Sendable package func friends(_ request: Request, context: AdminContext) async throws -> FriendsResponse
    {
        let one = try context.userInPath()
        let other = try context.userInPath("other")
        guard one != other else { throw Problem.invalid("other", "must be another user") }
        let at = try time(request)
        guard let asOf = try await friendships.find(User.ID(of: one), User.ID(of: other)) else {
            throw Problem.userNotFound
        }
        let (answer, since): (FriendsResponse.Answer, Date?) =
            switch asOf.answer(at: at) {
            case .friends(let since): (.friends, since)
            case .notFriends: (.notFriends, nil)
            case .unknown: (.unknown, nil)
            }
        return FriendsResponse(
            at: at, answer: answer, since: since, knownFrom: asOf.logBegins, friendsSince: asOf.since)
    }

    /// Returns the time in the query. Without one, it is now.
    private func time(_ request: Request) throws(Problem) -> Date {
        let now = world.now()
        let time = try request.query.time("at") ?? now
        guard time <= now else { throw .invalid("at", "must not be in the future") }
        return time
    }
}

extension NameRecord {
    /// Whether certainly nobody had it, if no user is known to have had it.
    fileprivate func wasFree(at time: Date) -> Bool {
        guard let since else { return true }
        return state != .active && time >= since
    }
}
