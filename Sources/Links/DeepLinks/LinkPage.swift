import Foundation
import Kernel
import Web

/// What the page of a short link shows to operators.
struct LinkPage: Sendable {
    var row: ShortLinkStore.Row
    var domain: LinkDomain
    /// What stands behind it; nil if it leads nowhere.
    var found: LinkResolution.Found?
    var isOver: Bool
    var statistics: StatisticsResponse
    /// Of the statistics.
    var lastDay: String
    /// Of the page itself, without `days`.
    var query: String?
    var language: Language

    var url: String { "\(domain.text)/\(row.code.text)" }
}
