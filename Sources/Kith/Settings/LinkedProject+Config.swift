import Kernel
import Links
import Web

extension LinkedProject {
    /// - Parameter hosts: further origins of the app's links.
    init(_ config: Config, hosts: [String] = []) throws {
        let (app, own) = (config.app, [config.server.linkURL] + hosts)
        self.init(targets: .none)
        domains = try LinkDomain.all(app)
        let names = Set(own.map(HostResponder.name(ofOrigin:)))
        for domain in domains {
            let isOwn = names.contains(HostResponder.name(ofOrigin: domain.origin))
            guard let segment = domain.segment else {
                if isOwn { throw AppsError.linkDomainIsHost(domain.text) }
                continue
            }
            let taken = try App.ownSegments.get()
            guard !(isOwn ? taken.all : taken.ofLinkHosts).contains(segment) else {
                throw AppsError.linkDomain(domain.text)
            }
        }
        let text = app.linkTargets ?? ""
        guard var targets = text.isEmpty ? HostPatterns.none : HostPatterns(text) else {
            throw AppsError.linkTargets(text)
        }
        for url in own + [app.homeURL].compactMap(\.self) { (try? WebURL(url)).map { targets.add($0) } }
        self.targets = targets
        (packages, bundles) = (Set(app.ids[.android] ?? []), Set(app.ids[.ios] ?? []))
        // `AssociationFiles` reports mistakes in these.
        let others = (try? IOSApp.others(app)) ?? []
        schemes = Set(
            bundles.map { $0.lowercased() }
                + ([app.scheme?.lowercased()] + others.map(\.scheme)).compactMap(\.self))
        for other in others { otherStoreIDs[other.bundleID] = other.storeID }
        storeID = app.appStoreID ?? app.appStoreURL?.firstMatch(of: /\/id([0-9]+)/).map { String($0.1) }
    }
}
