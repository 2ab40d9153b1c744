/// Settings of the friend graph.
package struct FriendLimits: Sendable {
    /// `KITH_MAX_FRIENDS`; 1,000. The most friends of one user.
    package var friends = 1000
    /// `KITH_MAX_REQUESTS`; 500. The most pending requests of one user, for sent and for received ones.
    package var requests = 500
    /// The most blocks of one user. Nobody blocks more people by hand.
    package var blocks = 10_000
    /// The most dismissed suggestions of one user. Beyond that the oldest is forgotten, and may show again.
    var dismissals = 10_000
    /// How many ended relationships of one user are kept for clients to sync. A client that missed more
    /// reloads, which costs it one page.
    var ended = 500
    /// How many days new requests stay hidden after the first decline, and after each further one. A decline
    /// is forgotten after the longest of these times.
    package var quietDays = [7, 30]

    package init() {}
}
