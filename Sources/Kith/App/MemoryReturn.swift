import CMalloc
import ServiceLifecycle

/// Returns memory to the system after many connections have closed; otherwise the C library keeps it.
struct MemoryReturn: Service {
    let connections: OpenConnections

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var times = 0
            while true {
                try await Task.sleep(for: .seconds(5))
                if connections.goneSinceMost() >= Self.many { times = Self.again }
                if times > 0 { Self.giveBack() }
                times -= min(times, 1)
            }
        }
    }

    private static let many = 100
    /// How often to repeat it: the memory of connections is freed some time after they close.
    private static let again = 4

    private static func giveBack() {
        #if os(Linux)
            _ = malloc_trim(0)
        #endif
    }
}
