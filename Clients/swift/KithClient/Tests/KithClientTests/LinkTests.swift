import Foundation
import XCTest

@testable import KithClient

/// The table `Clients/links.json`, which every client shares.
final class LinkTests: XCTestCase {
    private struct Table: Decodable {
        let rules: Rules
        let links: [Row]

        struct Rules: Decodable {
            let linkURL: URL
            let otherHosts, schemes, wrappingHosts: Set<String>
        }

        struct Row: Decodable {
            let name, text: String
            let link: Link?
            let url: String?
        }

        struct Link: Decodable {
            let username, invitedBy, code: String?

            var link: KithLink {
                username.map { .user(username: $0, invitedBy: invitedBy, code: code) } ?? .code(code ?? "")
            }
        }
    }

    func testEveryRow() throws {
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../links.json")
            .standardized
        let table = try JSONDecoder().decode(Table.self, from: Data(contentsOf: file))
        let rules = KithLink.Rules(
            linkURL: table.rules.linkURL, otherHosts: table.rules.otherHosts, schemes: table.rules.schemes,
            wrappingHosts: table.rules.wrappingHosts)
        XCTAssertGreaterThan(table.links.count, 40)
        for row in table.links {
            let expected = row.link?.link
            let link = KithLink.parse(row.text, rules)
            XCTAssertEqual(link, expected, row.name)
            XCTAssertEqual(link?.url(rules).absoluteString, row.url, row.name)
            // What the client writes it reads again.
            if let link { XCTAssertEqual(KithLink.parse(link.url(rules), rules), link, row.name) }
        }
    }
}
