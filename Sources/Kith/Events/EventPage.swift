/// Events in their order, from behind a number on.
struct EventPage: Sendable {
    /// Without those that nobody is told: of users who have not signed up.
    var events: [Event]
    /// The number behind which to go on, that of the last event that was read, told or not.
    var last: Int64
    /// Whether there was nothing behind the number, told or not.
    var isEmpty: Bool
    /// Whether there may be more.
    var isFull: Bool
}
