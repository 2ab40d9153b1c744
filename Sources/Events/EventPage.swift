import Kernel

/// Events in their order, starting after a number.
package struct EventPage: Sendable {
    /// The events, except those of users who have not signed up, which nobody is told.
    package var events: [Event]
    /// The number after which the next page begins: that of the last event that was read, told or not.
    package var last: Int64
    /// Whether there was nothing after the number, told or not.
    package var isEmpty: Bool
    /// Whether there may be more.
    var isFull: Bool
}
