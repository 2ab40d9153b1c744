package import Foundation
import Kernel
import Web

/// An endpoint that gets events, and its state.
package struct Webhook: Sendable {
    package var id: UUID
    package var url: String
    package var types: [String]
    package var createdAt: Date
    /// How long the previous secret also signs.
    var oldSecretUntil: Date?
    /// The number up to which all events are delivered or wait one by one.
    var position: Int64
    package var failingSince: Date?
    package var pausedAt: Date?
    package var lastError: String?
    package var lastErrorAt: Date?
    var missed: Int64
    var missedUntil: Date?
    /// How many events wait one by one, and how many are not delivered unless an operator sends them again.
    package var waiting: Int64
    package var dead: Int64
    /// How long the first event that it does not have has been waiting.
    package var lag: TimeInterval = 0
    /// The first event that waits one by one. Nil if none does.
    var firstWaiting: Int64?
    /// Whether so many events wait one by one that it gets no new ones.
    var isStalled = false
}

extension Webhook {
    /// The state in one word, for lists.
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
    var secrets: SealedSecrets
    var revision: Int64
    var position: Int64
    var failures: Int64
    var failingSince: Date?
    var probeAt: Date?
    var missed: Int64
    /// Which work of this server holds it. Each write changes it. So after a database was restored to an
    /// earlier state, no server that knows more than its rows holds the endpoint.
    var holder: UUID
    /// The holder that the next write stores.
    var nextHolder = UUID.random()

    /// The two possible holders in the row, since it may be unknown whether the last write was committed.
    var holders: [UUID] { [holder, nextHolder] }

    mutating func wasWritten() { (holder, nextHolder) = (nextHolder, .random()) }
}

/// What signs an endpoint's events, encrypted.
struct SealedSecrets: Sendable {
    var newest: [UInt8]
    /// Those before, which also sign until a time.
    var old: [[UInt8]]
    var oldUntil: Date?
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

    /// Whether nobody has sent it yet, because it waits behind another one.
    var isUntried: Bool { attempts == 0 }
}

/// What changed for an endpoint since the last write.
struct DeliveryProgress: Sendable {
    var position: Int64
    var failures = 0
    var failingSince: Date?
    var probeAt: Date?
    var pausedAt: Date?
    /// The last error. Nil if there was none since the last write.
    var lastError: (text: String, at: Date)?
    /// How many events were missed in total, so that writing it twice is harmless.
    var missed: Int64 = 0
    var missedUntil: Date?
    /// New events that wait, and others in their present state.
    var parked: [Int64: ParkedEvent] = [:]
    /// Delivered or expired events.
    var settled: [Int64] = []
    /// The users whose next event may be due now.
    var users: Set<User.ID> = []

    /// The users whose events changed.
    var touched: Set<User.ID> { users.union(parked.values.map(\.user)) }
}

/// The users whose events wait for an endpoint one by one, and how many these are.
struct WaitingEvents: Sendable {
    var counts: [User.ID: Int] = [:]
    /// Waiting events after the position, and dead letters. They were read before.
    var ahead: Set<Int64> = []
    /// How many became dead letters because too many waited.
    var crowdedOut = 0
}

extension HeldWebhook {
    var name: String { id.uuidString.lowercased() }
}
