/// Settings of the friend graph.
struct FriendLimits: Sendable {
    /// `KITH_MAX_FRIENDS`; 1,000.
    var friends = 1000
    /// `KITH_MAX_REQUESTS`; 500. Pending requests of one user, sent and received each.
    var requests = 500
    /// `KITH_MAX_BLOCKS`; 10,000.
    var blocks = 10_000
    /// `KITH_MAX_DISMISSALS`; 10,000. Beyond that the oldest is forgotten.
    var dismissals = 10_000
    /// `KITH_MAX_ENDED`; 500. Ended relationships of one user that are kept for clients to sync; a client that missed more
    /// reloads.
    var ended = 500
    /// `KITH_DECLINE_QUIET_DAYS`; 7 and 30. Days for which new requests stay hidden after the first and after each further
    /// decline.
    var quietDays = [7, 30]
}
