import Web

/// How networks will show a page, by its tags alone. It fetches nothing, so it knows no more of the picture
/// than its address.
package struct PreviewForecast: Sendable {
    /// What one network shows.
    package struct Card: Encodable, Sendable {
        package let network: String
        package let title: String?
        package let description: String?
        package let picture: String?
        /// `wide`, `square` or `whole`. Nil without a picture.
        package let crop: String?
        /// Whether a part of the title, or of the description, is cut.
        package let cuts: Bool
    }

    /// A rule that the tags break.
    package struct Fault: Encodable, Sendable {
        package let code: String?
        package let fault: String
        package let mend: String
    }

    package let cards: [Card]
    package let faults: [Fault]

    /// - Parameter html: the page as a fetcher of previews gets it.
    package init(html: String, at url: String) {
        let tags = PreviewTags(html: Array(html.utf8))
        let visits = PreviewFetcher.all.map { fetcher in
            var visit = PreviewVisit(fetcher: fetcher, addresses: [url], status: 200)
            visit.tags = tags
            return visit
        }
        cards = visits.map(Card.init)
        faults =
            visits.first.map { first in
                PreviewRules(visit: first).ofTags.map {
                    Fault(code: $0.code?.rawValue, fault: $0.fault, mend: $0.mend)
                }
            } ?? []
    }
}

extension PreviewForecast.Card {
    fileprivate init(_ visit: PreviewVisit) {
        let look = visit.fetcher.look
        let isLarge = visit.tags["twitter:card"] == "summary_large_image"
        let title = visit.shownTitle?.cut(to: PreviewRules.longestTitle)
        let description =
            look.hasDescription ? visit.shownDescription?.cut(to: PreviewRules.longestDescription) : nil
        (network, self.title, self.description) = (visit.fetcher.name, title?.text, description?.text)
        picture = visit.pictureAddress
        crop = picture == nil ? nil : (isLarge ? look.large : look.small).rawValue
        cuts = title?.isCut == true || description?.isCut == true
    }
}

extension String {
    /// Returns what is left of a text of which networks show so many characters.
    fileprivate func cut(to most: Int) -> (text: String, isCut: Bool) {
        guard unicodeScalars.count > most else { return (self, false) }
        return (String(prefix(most - 1)) + "…", true)
    }
}
