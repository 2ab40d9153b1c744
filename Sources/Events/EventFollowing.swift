import Kernel

/// Keeps a follower registered. The registration ends with the last reference, however the answer ends for
/// which it was made.
final class EventFollowing: Sendable {
    let follower: EventFollower
    private let feed: EventFeed

    init(_ follower: EventFollower, in feed: EventFeed) {
        (self.follower, self.feed) = (follower, feed)
    }

    deinit { feed.leave(follower) }
}
