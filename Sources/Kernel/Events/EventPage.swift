/// Events in their order, from behind a number on.
package struct EventPage: Sendable {
    /// Without those that nobody is told: of users who have not signed up.
    package var events: [Event]
    /// The number behind which to go on, that of the last event that was read, told or not.
    package var last: Int64
    /// Whether there was nothing behind the number, told or not.
    package var isEmpty: Bool
    /// Whether there may be more.
    var isFull: Bool
}
