import CMalloc
import HTTPServer
import ServiceLifecycle

/// Decides when memory goes back to the system: after many connections have closed, when the C library would
/// keep it. It does not after each page, when the library would return 16 KiB only to ask for them again at
/// once.
struct MemoryReturn: Service {
    let connections: OpenConnections

    func run() async throws {
        Self.keepSome()
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
    /// How often to repeat it. The memory of connections is freed some time after they close.
    private static let again = 4

    /// Lets each heap keep 4 MiB at its end, with which a page takes 7 % less time.
    private static func keepSome() {
        #if os(Linux)
            _ = mallopt(M_TRIM_THRESHOLD, 4 << 20)
        #endif
    }

    private static func giveBack() {
        #if os(Linux)
            _ = malloc_trim(0)
        #endif
    }
}
