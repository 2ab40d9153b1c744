import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends a request. Tests put their own in its place.
public protocol KithTransport: Sendable {
    /// Throws `URLError` if there is no answer.
    func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse)
}

/// Sends requests by `URLSession`.
public struct URLSessionTransport: KithTransport {
    private let session: URLSession

    /// - Parameter session: by default one that keeps no cache: the server's answers are of one user.
    public init(session: URLSession? = nil) {
        self.session = session ?? URLSession(configuration: .ephemeral)
    }

    public func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
        let running = Running()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let task = session.dataTask(with: request) { data, response, error in
                    if let data, let response = response as? HTTPURLResponse {
                        continuation.resume(returning: (data, response))
                    } else {
                        continuation.resume(throwing: error ?? URLError(.badServerResponse))
                    }
                }
                running.start(task)
            }
        } onCancel: {
            running.cancel()
        }
    }

    /// The task of a request, which can be cancelled before it starts.
    private final class Running: @unchecked Sendable {
        private let lock = NSLock()
        private var task: URLSessionDataTask?
        private var isCancelled = false

        func start(_ task: URLSessionDataTask) {
            lock.lock()
            defer { lock.unlock() }
            self.task = task
            task.resume()
            if isCancelled { task.cancel() }
        }

        func cancel() {
            lock.lock()
            defer { lock.unlock() }
            isCancelled = true
            task?.cancel()
        }
    }
}
