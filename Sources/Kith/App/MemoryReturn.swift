import CMalloc
import ServiceLifecycle

/// Gives memory back to the system after many connections have gone: the C library keeps it otherwise.
struct MemoryReturn: Service {
    let connections: OpenConnections

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                try await Task.sleep(for: .seconds(5))
                if connections.goneSinceMost() >= Self.many { Self.giveBack() }
            }
        }
    }

    private static let many = 100

    private static func giveBack() {
        #if os(Linux)
            _ = malloc_trim(0)
        #endif
    }
}
