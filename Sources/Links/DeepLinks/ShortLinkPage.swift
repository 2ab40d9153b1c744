import Foundation
import Kernel
import Visits
import Web

/// What the page of a short link shows to operators.
struct ShortLinkPage: Sendable {
    var row: ShortLinkStore.Row
    var domain: LinkDomain
    /// The link's content. Nil if it leads nowhere.
    var found: LinkResolution.Found?
    var isOver: Bool
    var statistics: StatisticsResponse
    /// The last day of the statistics.
    var lastDay: String
    /// The query of the page itself, without `days`.
    var query: String?
    var language: Language

    var url: String { "\(domain.text)/\(row.code.text)" }
}
