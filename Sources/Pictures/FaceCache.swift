package import Foundation
import Synchronization
package import Web

/// Fetches users' pictures for cards, each once, however many ask for it at the same time, and keeps recent
/// ones. Only pictures on hosts that the operator allows get here.
package final class FaceCache: Sendable {
    /// How long Kith does not ask again after a failure.
    private static let pause: TimeInterval = 60
    private static let mostFailures = 1000

    private struct State {
        /// When a URL failed, or no connection to a host was possible.
        var failures: [String: Date] = [:]
        var underWay: [String: Task<[UInt8], any Error>] = [:]
    }

    private let fetch: HTTPFetch
    private let now: @Sendable () -> Date
    private let report: @Sendable (_ host: String, _ reason: String) -> Void
    private let pictures = PictureCache<String>(limiter: nil, mostBytes: 16 << 20)
    /// The places for fetches. Pictures on their way have at most 2 MiB each.
    private let places = Places(16)
    private let mostWait: Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - mostWait: how long a caller waits for a place. A place becomes free after at most the 2 seconds of
    ///     a fetch, so a caller that has waited that long leaves within as long again. Fetchers of previews,
    ///     which wait for some five seconds, then learn that they may ask again.
    ///   - report: called at each failure of a host, without anything about the user.
    package init(
        fetch: HTTPFetch, now: @escaping @Sendable () -> Date, mostWait: Duration = .seconds(2),
        report: @escaping @Sendable (_ host: String, _ reason: String) -> Void = { _, _ in }
    ) {
        (self.fetch, self.now, self.mostWait, self.report) = (fetch, now, mostWait, report)
    }

    /// Returns a picture. Throws a `CardError`: `noFace` if it failed within the last minute,
    /// `tooManyWaiting` if too many others are fetched.
    func bytes(at address: String) async throws -> [UInt8] {
        let task = state.withLock { state in
            if let task = state.underWay[address] { return task }
            let task = Task {
                defer { _ = self.state.withLock { $0.underWay.removeValue(forKey: address) } }
                return try await pictures.bytes(of: address, for: nil, draw: fetched)
            }
            state.underWay[address] = task
            return task
        }
        return try await task.value
    }

    /// Drops a picture that cannot be drawn. It counts as not fetched, since trying again at each card would
    /// take as long.
    func dropUnreadable(_ address: String) {
        pictures.drop(address)
        note(
            [address], host: URL(string: address)?.host() ?? "",
            "a picture is no JPEG or PNG that can be drawn")
    }

    private func fetched(_ address: String) async throws -> [UInt8] {
        guard let url = URL(string: address), let host = url.host() else { throw CardError.noFace }
        try requireNoFailure(of: [address, host])
        let began = ContinuousClock.now
        await places.take()
        defer { places.leave() }
        guard began.duration(to: .now) < mostWait else { throw CardError.tooManyWaiting }
        try requireNoFailure(of: [address, host])
        do {
            let answer = try await fetch.get(url)
            guard answer.status != 200 else { return Array(answer.body) }
            note([address], host: host, "it answers \(answer.status)")
        } catch {
            let isOfServer = (error as? HTTPFetch.Failure)?.isOfServer ?? false
            note(isOfServer ? [address, host] : [address], host: host, "\(error)")
        }
        throw CardError.noFace
    }

    private func requireNoFailure(of names: [String]) throws(CardError) {
        let now = now()
        let hasFailed = state.withLock { state in
            names.contains { state.failures[$0].map { now.timeIntervalSince($0) < Self.pause } ?? false }
        }
        if hasFailed { throw .noFace }
    }

    private func note(_ names: [String], host: String, _ reason: String) {
        let now = now()
        state.withLock { state in
            if state.failures.count >= Self.mostFailures { state.failures = [:] }
            for name in names { state.failures[name] = now }
        }
        report(host, reason)
    }
}

/// Lets a number of callers in at once. The others wait in order.
private final class Places: Sendable {
    private let state: Mutex<(free: Int, waiting: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) {
        state = Mutex((count, []))
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free > 0 else {
                    state.waiting.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
