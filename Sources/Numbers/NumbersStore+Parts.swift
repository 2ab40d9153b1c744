import Counts
import Kernel
import Links
import Postgres
import Web

/// Of which links and apps numbers are asked.
extension NumbersStore {
    /// The most links with a tag whose numbers are added.
    static let mostLinks = 1000

    /// Returns the links whose tag is asked for. Nil if none is. Throws a 400 if no link has it.
    func links(of wanted: NumbersRequest) async throws -> TaggedLinks? {
        guard let tag = wanted.tag else { return nil }
        guard let links = try await ShortLinkStore(db: db).links(tagged: tag, most: Self.mostLinks) else {
            throw Problem.invalid("tag", "must be a tag that a short link has now")
        }
        return links
    }

    /// Throws a 400 for a domain or link that there is not.
    func require(_ part: NumbersRequest.Part) async throws {
        switch part {
        case .everything: return
        case .link(let url):
            // All long links of a domain count together.
            if domains.map({ $0.contains { "\($0.text)/" == url } }) ?? url.hasSuffix("/") { return }
            guard try await ShortLinkStore(db: db).has(url) else {
                throw Problem.invalid("link", "must be the URL of a short link, as `GET /v1/links` lists it")
            }
        case .domain(let text):
            guard let domains, !domains.contains(where: { $0.text == text }) else { return }
            let query: Statement = "SELECT 1 FROM counts WHERE subject = \(part.subject) LIMIT 1"
            let isCounted = try await db.question { try await $0.first(query) { try $0.next(as: Int.self) } }
            guard isCounted == nil else { return }
            let all = domains.map(\.text).sorted()
            throw Problem.invalid(
                "domain",
                "must be a domain of deep links\(all.isEmpty ? "" : ": \(all.joined(separator: ", "))")")
        }
    }

    /// Throws a 400 for an app that there is not, and of which nothing was counted.
    func require(_ only: NumbersRequest.Only?, isCounted: Bool) throws(Problem) {
        guard let only, only.dimension == .app, !isCounted, let apps, !apps.contains(only.value) else {
            return
        }
        let all = apps.sorted()
        throw .invalid(
            "app", "must be the key of an app\(all.isEmpty ? "" : ": \(all.joined(separator: ", "))")")
    }
}
