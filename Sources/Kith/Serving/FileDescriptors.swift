import Foundation

/// The limit of files and connections that the process may open.
enum FileDescriptors {
    /// More files than one process ever needs. The system's table of them takes memory.
    private static let enough: rlim_t = 65_536

    /// Raises the soft limit, often 1,024, to the hard one or `enough`, and returns it.
    static func raiseLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return 1024 }
        var raised = limit
        raised.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, enough))
        return Int(clamping: setrlimit(resource, &raised) == 0 ? raised.rlim_cur : limit.rlim_cur)
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue))
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
