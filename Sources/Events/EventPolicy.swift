import Kernel

/// Settings of events.
package struct EventPolicy: Sendable {
    /// `KITH_EVENT_DAYS`; 30. How many days events are kept.
    package var days = 30

    package init(days: Int = 30) {
        self.days = days
    }
}
