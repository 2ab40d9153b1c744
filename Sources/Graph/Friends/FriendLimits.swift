/// Settings of the friend graph.
package struct FriendLimits: Sendable {
    /// `KITH_MAX_FRIENDS`; 1,000.
    package var friends = 1000
    /// `KITH_MAX_REQUESTS`; 500. Pending requests of one user, sent and received each.
    package var requests = 500
    /// Nobody blocks more people by hand.
    package var blocks = 10_000
    /// Beyond that the oldest is forgotten, and may show again.
    var dismissals = 10_000
    /// Ended relationships of one user that are kept for clients to sync. A client that missed more reloads, which costs it one page.
    var ended = 500
    /// Days for which new requests stay hidden after the first and after each further decline. A decline is forgotten after the
    /// longest of them.
    package var quietDays = [7, 30]

    package init() {}
}
