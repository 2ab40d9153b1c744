/// Settings of events.
struct EventPolicy: Sendable {
    /// `KITH_EVENT_DAYS`; 30. How many days events are kept.
    var days = 30
}
