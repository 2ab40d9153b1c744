import Operations

/// `kith explain`.
extension App {
    /// Why a link leads where it leads, in lines for people, whichever app it is of; nil if it is no link of this server.
    package func explanation(of url: String) async throws -> String? {
        let hosts = HostResponder(self)
        _ = try await hosts.follow()
        return try await hosts.standardApp.explaining.explain(url)?.text
    }
}
