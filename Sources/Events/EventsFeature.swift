package import Kernel

extension Feature {
    package static let events = Feature(
        tables: [
            Table("outbox", .insert, .update, .delete), Table("events", .insert, .update),
            Table("event_numbers", .update),
        ],
        userData: [EventStore.self], checks: [.events])
}
