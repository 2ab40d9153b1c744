package import Kernel

/// Of what there are sums.
package enum CountSubject {
    /// Returns the subjects for which a deep link counts: itself, its domain, and everything.
    /// - Parameters:
    ///   - link: its URL; for long links together, that of their domain with a slash.
    ///   - domains: all there are. Both a domain and a code may have slashes. Of a domain that is no longer
    ///     set, the last one counts.
    package static func ofDeepLink(_ link: String, in domains: [LinkDomain]) -> [String] {
        let parts = domains.map(\.text).filter { link.hasPrefix("\($0)/") }
        let last = String(link[..<(link.lastIndex(of: "/") ?? link.startIndex)])
        let domain = parts.max { $0.utf8.count < $1.utf8.count } ?? last
        return [link, "domain \(domain)", ""]
    }
}

/// People who signed up on one day, and what came of their invites. It is counted on that day, whenever it
/// happens.
package enum Cohort {
    /// Returns the measure for something that happened so many seconds after the sign-up. Nil for what
    /// happened later than cohorts are followed.
    package static func measure(_ name: String, _ seconds: Double) -> String? {
        switch seconds / 86_400 {
        case ..<7: "cohorts.\(name)_7"
        case ..<30: "cohorts.\(name)_30"
        default: nil
        }
    }
}
