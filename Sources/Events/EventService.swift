import Kernel
package import Logging
import Postgres
import ServiceLifecycle
import Web

/// Gives events their numbers, wakes those who wait on this server, and drops old events. Several servers may
/// do so at once.
package struct EventService: Service {
    /// How long an event may wait for its number.
    static let interval = Duration.milliseconds(100)

    package let store: EventStore
    package let feed: EventFeed
    package let policy: EventPolicy
    package let logger: Logger

    package init(store: EventStore, feed: EventFeed, policy: EventPolicy, logger: Logger) {
        self.store = store
        self.feed = feed
        self.policy = policy
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask { await keepDays() }
                group.addTask { await number() }
                group.addTask { await beat() }
            }
        }
        feed.close()
    }

    private func keepDays() async {
        let hourly = Periodic(
            "old events are kept", every: .seconds(3600), afterFailure: .seconds(60), logger: logger)
        await hourly.run { try await store.keepDays(policy.days) }
    }

    /// Numbers events again and again. It pauses even if there were some: each time is a commit, which waits
    /// for the disk as users' commits do.
    private func number() async {
        let numbering = Periodic(
            "events wait for their numbers", every: Self.interval, afterFailure: .seconds(1), logger: logger)
        await numbering.run { try await numberSome() }
    }

    private func beat() async {
        var beats = 0
        await Periodic("streams go on unchecked", every: EventStream.heartbeat, logger: logger).run {
            feed.beat()
            beats += 1
            if beats % 3 == 0 { try await endWhoMayNotCall() }
        }
    }

    /// Ends the streams whose account or key has ended. It ends none if the database cannot be asked.
    func endWhoMayNotCall() async throws {
        let followers = feed.everybody
        let keys = Set(followers.compactMap(\.key))
        let inForce = keys.isEmpty ? [] : try await APIKeyStore(db: store.db).inForce(Array(keys))
        for start in stride(from: 0, to: followers.count, by: 1000) {
            let some = followers.dropFirst(start).prefix(1000)
            let active = try await store.active(Array(Set(some.map(\.user))))
            for follower in some {
                let isAllowed = active.contains(follower.user) && follower.key.map(inForce.contains) != false
                if !isAllowed { follower.end() }
            }
        }
    }

    func numberSome() async throws {
        let known = feed.last
        let last = try await store.number(keeping: policy.days)
        guard let known else {
            // A server that begins does not know what its first followers have seen.
            feed.advance(to: last, for: nil)
            return
        }
        guard last > known else { return }
        feed.advance(
            to: last, for: feed.followerCount > 0 ? try await store.users(after: known, through: last) : [])
    }
}
