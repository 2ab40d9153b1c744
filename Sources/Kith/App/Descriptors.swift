import Foundation

/// How many files and connections the process may have open.
enum Descriptors {
    /// More than anyone serves from one process; a table of them costs memory.
    private static let enough: rlim_t = 65_536

    /// Raises what is allowed to what may be allowed, and returns it: systems start with 1,024.
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
