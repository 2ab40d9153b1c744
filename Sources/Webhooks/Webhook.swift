package import Foundation
import Kernel
import Web

/// An endpoint that is told what happens, and how it fares.
package struct Webhook: Sendable {
    package var id: UUID
    package var url: String
    package var types: [String]
    package var createdAt: Date
    /// Until when the secret before this one signs, too.
    var oldSecretUntil: Date?
    /// The number up to which all events are delivered or wait one by one.
    var position: Int64
    package var failingSince: Date?
    package var pausedAt: Date?
    package var lastError: String?
    package var lastErrorAt: Date?
    var missed: Int64
    var missedUntil: Date?
    /// How many events wait one by one, and how many never come unless an operator sends them again.
    package var waiting: Int64
    package var dead: Int64
    /// For how long the first event waits that it does not have.
    package var lag: TimeInterval = 0
    /// The first event that waits one by one; nil: none does.
    var firstWaiting: Int64?
    /// Whether so many wait one by one that it gets no new ones.
    var isStalled = false
}

extension Webhook {
    /// What a list shows in a word.
    package var state: String {
        if pausedAt != nil { return "paused" }
        return failingSince != nil ? "failing" : isStalled ? "stalled" : "active"
    }
}

/// An endpoint and what a server must know to deliver to it.
struct HeldWebhook: Sendable {
    var id: UUID
    var url: String
    var types: Set<String>
    var secret: [UInt8]
    /// They sign, too, until `oldUntil`.
    var oldSecrets: [[UInt8]]
    var oldUntil: Date?
    var revision: Int64
    var position: Int64
    var failures: Int64
    var failingSince: Date?
    var probeAt: Date?
    var missed: Int64
    /// Which work of this server holds it. Each writing changes it: in a database that was restored to before, nobody holds it who
    /// knows more than its rows.
    var holder: UUID
    /// What the next writing makes of it.
    var nextHolder = UUID.random()

    /// The row has one of them, even if nobody knows whether the last writing was committed.
    var holders: [UUID] { [holder, nextHolder] }

    mutating func wasWritten() { (holder, nextHolder) = (nextHolder, .random()) }
}

/// An event that an endpoint did not take.
struct ParkedEvent: Sendable {
    var id: Int64
    var user: User.ID
    var attempts = 0
    var dueAt: Date?
    var firstFailedAt: Date?
    var lastError: String?
    var deadAt: Date?

    /// Nobody sent it yet: it waits behind another one.
    var isUntried: Bool { attempts == 0 }
}

/// What changed for an endpoint since it was written last.
struct DeliveryProgress: Sendable {
    var position: Int64
    var failures = 0
    var failingSince: Date?
    var probeAt: Date?
    var pausedAt: Date?
    /// Nil: none since.
    var lastError: (text: String, at: Date)?
    /// In all, so that to write it twice is harmless.
    var missed: Int64 = 0
    var missedUntil: Date?
    /// New ones, and others as they are now.
    var parked: [Int64: ParkedEvent] = [:]
    /// Those of them that are delivered or gone.
    var settled: [Int64] = []
    /// Whose next event may be due now.
    var users: Set<User.ID> = []

    /// Whose events changed.
    var touched: Set<User.ID> { users.union(parked.values.map(\.user)) }
}

/// Of whom events wait for an endpoint one by one, and how many.
struct WaitingEvents: Sendable {
    var counts: [User.ID: Int] = [:]
    /// Those behind the position, and dead letters: they were read before.
    var ahead: Set<Int64> = []
    /// How many became dead letters because too many waited.
    var crowdedOut = 0
}

extension HeldWebhook {
    var name: String { id.uuidString.lowercased() }
    /// Where its secrets stand.
    var place: String { WebhookSetup.place(id) }
}
