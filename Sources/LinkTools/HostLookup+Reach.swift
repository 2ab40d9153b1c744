import Foundation
import Web

extension HostLookup {
    /// Returns the addresses of the host of a URL. Empty if its name is unknown.
    func addresses(of url: URL) async -> [String] {
        let host = (url.host() ?? "").trimmingCharacters(in: ["[", "]"])
        return ClientAddress(host) == nil ? (try? await addresses(host)) ?? [] : [host]
    }

    /// Whether a URL is public. True for an unknown name.
    func isPublic(_ url: URL) async -> Bool {
        await addresses(of: url).allSatisfy { PublicAddress.allows($0, .isPublic) }
    }
}
