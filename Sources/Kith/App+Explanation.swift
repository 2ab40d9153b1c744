import Operations

/// The command `kith explain`.
extension App {
    /// Explains why a link leads where it leads, in lines for people, whichever app it belongs to. Nil if it
    /// is not a link of this server.
    package func explanation(of url: String) async throws -> String? {
        let hosts = HostResponder(self)
        _ = try await hosts.follow()
        return try await hosts.standardApp.explaining.explain(url)?.text
    }
}
