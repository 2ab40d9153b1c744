import Foundation

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

    /// The visitors whose way it shows.
    enum Visitor: CaseIterable {
        case iPhone, iPad, android, computer, preview

        func visit(isInvite: Bool) -> DeepLinkVisit {
            var visit = DeepLinkVisit(device: Device(system: system))
            visit.isInvite = isInvite
            visit.isIPad = self == .iPad
            visit.isPreviewFetcher = self == .preview
            return visit
        }

        private var system: Device.System {
            switch self {
            case .iPhone, .iPad: .iOS
            case .android: .android
            case .computer, .preview: .other
            }
        }
    }
}
