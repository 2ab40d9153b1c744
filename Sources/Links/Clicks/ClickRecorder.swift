import Crypto
import Foundation
import Graph
import Kernel
package import Web

/// Writes what visitors and apps do with links, before they get their answer.
package struct ClickRecorder: Sendable {
    let queue: WriteQueue<[Click]>
    let salts: VisitorSaltStore
    let metrics: Metrics
    /// Tells operators that a record was lost, and why.
    let report: @Sendable (any Error) -> Void

    package init(
        store: ClickStore, salts: VisitorSaltStore, metrics: Metrics,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        // The first is the user's all, if several links of a user count: their rows are those of others who share it.
        queue = WriteQueue(key: { $0.first?.link }) { try await store.add($0.flatMap(\.self)) }
        (self.salts, self.metrics, self.report) = (salts, metrics, report)
    }

    /// The same for the same browser and address on one day; nil for an app.
    func trace(of visitor: ClickVisitor) async throws -> UUID? {
        visitor.trace(salt: try await salts.today())
    }

    /// Returns once all is committed. If it cannot be written, the answer is worth more to the visitor than the count, so
    /// this only counts and reports the loss.
    func record(_ events: [Click.Event], of links: [ClickedLink], by visitor: ClickVisitor) async {
        do {
            let kept = Click.Visitor(
                platform: visitor.platform, country: visitor.country,
                trace: try await trace(of: visitor))
            try await queue.add(
                links.flatMap { link in events.map { Click(link: link, event: $0, visitor: kept) } })
            metrics.clicked(.kept)
        } catch {
            metrics.clicked(.lost)
            report(error)
        }
    }
}

/// Who opens a link, or the app that asks about it.
struct ClickVisitor: Sendable {
    var platform: Click.Platform
    var country: String?
    /// Nil: an app, or an address that nobody knows.
    var address: ClientAddress?
    var browser = ""

    /// - Parameter salt: without it nobody can tell what was hashed.
    fileprivate func trace(salt: [UInt8]) -> UUID? {
        guard let address else { return nil }
        let parts = ["\(address.subject)", browser].map { Array($0.utf8) }
        let code = HMAC<SHA256>.authenticationCode(
            for: LengthPrefixed.write(parts), using: SymmetricKey(data: salt))
        return UUID(bytes: Array(code))
    }
}
