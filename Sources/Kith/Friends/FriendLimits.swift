/// Settings of the friend graph.
struct FriendLimits: Sendable {
    /// `KITH_MAX_FRIENDS`; 1,000.
    var friends = 1000
    /// `KITH_MAX_REQUESTS`; 500. Pending requests of one user, sent and received each.
    var requests = 500
    /// Nobody blocks more people by hand.
    var blocks = 10_000
    /// Beyond that the oldest is forgotten, and may show again.
    var dismissals = 10_000
    /// Ended relationships of one user that are kept for clients to sync. A client that missed more reloads, which costs it one page.
    var ended = 500
    /// Days for which new requests stay hidden after the first and after each further decline. A decline is forgotten after the
    /// longest of them.
    var quietDays = [7, 30]
}
