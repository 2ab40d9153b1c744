package import Counts
import Crypto
package import Foundation
import Graph
import Kernel
package import Web

/// Writes what visitors and apps do with links, before they get their answer.
package struct ClickRecorder: Sendable {
    let queue: WriteQueue<[Click]>
    let salts: SaltStore
    let metrics: Metrics
    /// Tells operators that a record was lost, and why.
    let report: @Sendable (any Error) -> Void

    package init(
        store: ClickStore, salts: SaltStore, metrics: Metrics,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        queue = WriteQueue(key: { $0.first?.link }) { try await store.add($0.flatMap(\.self)) }
        (self.salts, self.metrics, self.report) = (salts, metrics, report)
    }

    /// Returns a trace, which is the same for the same browser and address on one day. Nil for an app.
    package func trace(of visitor: ClickVisitor) async throws -> UUID? {
        visitor.trace(salt: try await salts.today())
    }

    /// Records events and returns once all are committed. If they cannot be written, the answer is worth more
    /// to the visitor than the count, so this only counts and reports the loss.
    package func record(_ events: [Click.Event], of links: [ClickedLink], by visitor: ClickVisitor) async {
        do {
            let kept = Click.Visitor(
                platform: visitor.platform, parts: visitor.parts.text, trace: try await trace(of: visitor))
            try await queue.add(
                links.flatMap { link in events.map { Click(link: link, event: $0, visitor: kept) } })
            metrics.clicked(.kept)
        } catch {
            metrics.clicked(.lost)
            report(error)
        }
    }
}

/// The visitor who opens a link, or the app that asks about it.
package struct ClickVisitor: Sendable {
    package var platform: Click.Platform
    package var country: String?
    package var parts = ClickParts()
    /// The visitor's address. Nil for an app, or if the address is unknown.
    package var address: ClientAddress?
    package var browser: String

    package init(
        platform: Click.Platform, country: String? = nil, address: ClientAddress? = nil, browser: String = ""
    ) {
        (self.platform, self.country, self.address, self.browser) = (platform, country, address, browser)
    }

    /// - Parameter salt: a secret without which nobody can tell what was hashed.
    fileprivate func trace(salt: [UInt8]) -> UUID? {
        guard let address else { return nil }
        let parts = ["\(address.subject)", browser].map { Array($0.utf8) }
        let code = HMAC<SHA256>.authenticationCode(
            for: LengthPrefixed.write(parts), using: SymmetricKey(data: salt))
        return UUID(bytes: Array(code))
    }
}
