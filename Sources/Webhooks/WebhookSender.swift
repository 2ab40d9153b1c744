import Events
import Foundation
import Kernel
import Web

/// Posts events to one endpoint, signed, and only to addresses that it may reach.
actor WebhookSender {
    enum Outcome: Sendable, Equatable {
        case delivered
        /// The endpoint wants no more events.
        case gone
        /// - Parameter asked: after how many seconds the endpoint wants to be asked again.
        case failed(String, asked: Int?)
    }

    private let url: String
    private let secret: WebhookSecret
    private let old: (secrets: [WebhookSecret], until: Date)
    private let policy: WebhookPolicy
    private let world: World
    private var client: PinnedClient?
    private var looking: Task<[String], any Error>?
    private var checkedAt: ContinuousClock.Instant?
    /// How often Kith could not connect to one of several addresses.
    private var turns = 0
    /// How long one look-up serves. Attempts within this time connect to the address that it found, so no
    /// later answer can lead elsewhere.
    private static let fresh = Duration.seconds(1)

    init(
        url: String, secret: WebhookSecret, old: (secrets: [WebhookSecret], until: Date),
        policy: WebhookPolicy,
        world: World
    ) {
        (self.url, self.secret, self.old, self.policy, self.world) = (url, secret, old, policy, world)
    }

    /// Nil if the key does not open the secret.
    init?(
        _ id: UUID, url: String, _ sealed: SealedSecrets, key: SecretsKey?, policy: WebhookPolicy,
        world: World
    ) {
        let place = WebhookSetup.place(id)
        guard let bytes = key?.open(sealed.newest, for: place) else { return nil }
        let old = sealed.old.compactMap { key?.open($0, for: place) }.map(WebhookSecret.init(bytes:))
        self.init(
            url: url, secret: WebhookSecret(bytes: bytes), old: (old, sealed.oldUntil ?? .distantPast),
            policy: policy, world: world)
    }

    /// Why nothing is sent if the key does not open the secret.
    static let unreadable = "its secret was encrypted with another KITH_SECRETS_KEY: rotate it"

    /// Closes the client. It must be called at the end.
    func close() async {
        await client?.close()
        client = nil
    }

    /// Why an event got no answer.
    struct Unanswered: Error {
        let reason: String
    }

    nonisolated func send(_ event: Event) async -> Outcome {
        do {
            let answer = try await post(EventResponse(event: event), id: String(event.id))
            switch answer.status {
            case 200..<300: return .delivered
            case 410: return .gone
            default: return .failed(Self.refusal(answer.status), asked: answer.retryAfter)
            }
        } catch {
            return .failed(error.reason, asked: nil)
        }
    }

    static func refusal(_ status: Int) -> String { "it answers with status \(status)" }

    /// Posts a body once, signed, and returns what the endpoint answers.
    nonisolated func post(
        _ body: some Encodable, id: String
    ) async throws(Unanswered) -> PinnedClient.Answer {
        do {
            let body = try JSON.data(body)
            let began = ContinuousClock.now
            let client = try await client()
            return try await client.post(
                url, body, headers: headers(id, body), within: policy.timeout - (ContinuousClock.now - began))
        } catch let fault as WebhookURL.Fault {
            throw Unanswered(reason: "its URL \(fault.rawValue)")
        } catch let failure as HTTPFetch.Failure {
            if failure.isOfServer { await turn() }
            if case .late = failure {
                throw Unanswered(reason: HTTPFetch.Failure.late(policy.timeout).description)
            }
            throw Unanswered(reason: failure.description)
        } catch {
            throw Unanswered(reason: "it cannot be sent")
        }
    }

    nonisolated private func headers(_ id: String, _ body: [UInt8]) -> [(String, String)] {
        let now = world.now()
        let seconds = Int64(now.timeIntervalSince1970)
        let signing = [secret] + (old.until > now ? old.secrets : [])
        let signatures = signing.map { $0.signature(id: id, timestamp: seconds, body: body) }.joined(
            separator: " ")
        return [
            ("content-type", "application/json"), ("user-agent", "Kith"), ("webhook-id", id),
            ("webhook-timestamp", String(seconds)), ("webhook-signature", signatures),
        ]
    }

    private func turn() {
        turns += 1
        checkedAt = nil
    }

    /// Returns a client that connects only to an address that may be reached, if that holds for all addresses
    /// of its name.
    private func client() async throws -> PinnedClient {
        if let client, let checkedAt, ContinuousClock.now - checkedAt < Self.fresh { return client }
        let target = try WebhookURL(url, reach: policy.reach)
        let addresses = try await addresses(target.host)
        guard !addresses.isEmpty else { throw HTTPFetch.Failure.nameUnknown }
        guard addresses.allSatisfy({ PublicAddress.allows($0, policy.reach) }) else {
            throw WebhookURL.Fault.privateAddress
        }
        checkedAt = .now
        if let client, turns == 0, addresses.contains(client.address) { return client }
        let address = addresses[turns % addresses.count]
        if let client, client.address == address { return client }
        if let client { leave(client) }
        let pinned = PinnedClient(host: target.host, address: address, connections: policy.atOnce)
        client = pinned
        return pinned
    }

    private func addresses(_ host: String) async throws -> [String] {
        if ClientAddress(host) != nil { return [host] }
        let task =
            looking
            ?? Task { [lookup = world.lookup] in
                defer { looking = nil }
                return try await lookup.addresses(host)
            }
        // If a look-up takes long, the next attempt waits for the same one.
        looking = task
        return try await BoundedWait.wait(for: task, within: policy.timeout)
    }

    /// Closes a client later, since requests may still be under way on it.
    private func leave(_ old: PinnedClient) {
        Task { [timeout = policy.timeout] in
            try? await Task.sleep(for: timeout * 2)
            await old.close()
        }
    }
}
