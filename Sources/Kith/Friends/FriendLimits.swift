/// Settings of the friend graph.
struct FriendLimits: Sendable {
    /// `KITH_MAX_FRIENDS`; 1,000.
    var friends = 1000
    /// `KITH_MAX_REQUESTS`; 500. Requests of one user not answered yet, those sent and those received
    /// each.
    var requests = 500
    /// `KITH_MAX_BLOCKS`; 10,000.
    var blocks = 10_000
    /// `KITH_MAX_DISMISSALS`; 10,000. The oldest goes when there is one more.
    var dismissals = 10_000
    /// `KITH_MAX_ENDED`; 500. So many ended relationships of one user are kept for phones that sync; one that
    /// missed more reloads.
    var ended = 500
    /// `KITH_DECLINE_QUIET_DAYS`; 7 and 30. For so long after a first and after a further decline, a new
    /// request is not shown to who declined.
    var quietDays = [7, 30]
}
