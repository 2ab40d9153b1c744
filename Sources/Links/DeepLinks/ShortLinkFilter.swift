import Foundation
import Kernel
import Web

/// Which short links of a domain a list has, and in which order.
struct ShortLinkFilter: Equatable, Sendable {
    enum Order: String, CaseIterable, Sendable {
        case newest, oldest
        /// Those that were opened most often come first.
        case clicks
        /// By the name, or by the code if there is none.
        case name
    }

    var order = Order.newest
    var tag: LinkTag?
    /// Nil: archived or not.
    var isArchived: Bool?
    /// Who made it, as `keyId` in answers.
    var keyID: String?
    /// What is searched for.
    var text: String?

    /// The parameters of the query, beside the domain and those of pages.
    static let parameters = ["q", "tag", "archived", "keyId", "order"]
    /// The most characters that are searched for.
    private static let longest = 100
    /// The most characters of who made a link: `person:` and a mail address.
    private static let longestMaker = 300

    init() {}

    init(_ query: Query) throws(Problem) {
        if let text = try query.value("order") {
            guard let order = Order(rawValue: text) else {
                throw .invalid("order", "must be newest, oldest, clicks or name")
            }
            self.order = order
        }
        tag = try LinkTag(query)
        if let text = try query.value("archived") {
            guard let flag = Bool(text) else { throw .invalid("archived", "must be true or false") }
            isArchived = flag
        }
        keyID = try ShortLinkDetails.line(query.value("keyId"), "keyId", atMost: Self.longestMaker)
        text = try ShortLinkDetails.line(query.value("q"), "q", atMost: Self.longest)
    }

    /// The list's name for cursors. Nothing in it has a line break.
    func name(in domain: LinkDomain) -> String {
        let filters = [tag?.text, isArchived.map { "\($0)" }, keyID, text].map { $0 ?? "" }
        return (["links \(domain.text)", order.rawValue] + filters).joined(separator: "\n")
    }
}
