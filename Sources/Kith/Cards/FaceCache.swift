import Foundation
import Synchronization

/// Fetches users' pictures for cards, and keeps recent ones. Only those on hosts that the operator allows get here.
final class FaceCache: Sendable {
    /// How long Kith does not ask again after a failure.
    private static let pause: TimeInterval = 60
    private static let mostFailures = 1000
    /// Pictures on their way, of at most 2 MiB each.
    private static let mostAtOnce = 16

    private let fetch: HTTPFetch
    private let now: @Sendable () -> Date
    private let pictures = PictureCache<String>(limiter: nil, mostBytes: 16 << 20)
    private let state = Mutex((failures: [String: Date](), fetching: 0))

    init(fetch: HTTPFetch, now: @escaping @Sendable () -> Date) {
        (self.fetch, self.now) = (fetch, now)
    }

    /// Nil if it cannot be fetched now.
    func bytes(at address: String) async -> [UInt8]? {
        guard mayFetch(address) else { return nil }
        defer { state.withLock { $0.fetching -= 1 } }
        do {
            return try await pictures.bytes(of: address, for: nil) { address in
                guard let url = URL(string: address) else { throw NoPicture() }
                let answer = try await fetch.get(url)
                guard answer.status == 200 else { throw NoPicture() }
                return Array(answer.body)
            }
        } catch {
            noteFailure(address)
            return nil
        }
    }

    private struct NoPicture: Error {}

    private func mayFetch(_ address: String) -> Bool {
        let now = now()
        return state.withLock { state in
            if let failure = state.failures[address], now.timeIntervalSince(failure) < Self.pause {
                return false
            }
            guard state.fetching < Self.mostAtOnce else { return false }
            state.fetching += 1
            return true
        }
    }

    private func noteFailure(_ address: String) {
        let now = now()
        state.withLock { state in
            if state.failures.count >= Self.mostFailures { state.failures = [:] }
            state.failures[address] = now
        }
    }
}
