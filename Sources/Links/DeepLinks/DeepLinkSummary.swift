import Visits

/// What pages for operators show about a deep link: its parameters, and where it leads whom.
struct DeepLinkSummary {
    let app: AppListing
    let places: LinkURLs
    let texts: LandingTexts

    /// Returns the parameters in the order of docs/deep-links.md. Those that do not count are marked.
    func parameters(_ given: [(name: String, value: String)], _ found: LinkResolution.Found?) -> [[String:
        Any]]
    {
        let order = Dictionary(
            uniqueKeysWithValues: LinkParameter.allCases.enumerated().map { ($1.rawValue, $0) })
        let sorted = given.sorted {
            (order[$0.name] ?? .max, $0.name) < (order[$1.name] ?? .max, $1.name)
        }
        let known = sorted.prefix { order[$0.name] != nil }
        let warnings = Dictionary(grouping: found?.warnings ?? [], by: \.parameter)
        return sorted.prefix(known.count + LinkParameter.mostUnknown).map { name, value in
            var values: [String: Any] = ["parameter": name, "value": value]
            values["warnings"] = (warnings[name] ?? []).map {
                ["code": $0.code.rawValue, "warning": $0.message]
            }
            if let link = found?.link {
                values["isLeftOut"] =
                    name != "link" && LinkParameter(rawValue: name).flatMap { link[$0] } == nil
            }
            return values
        }
    }

    /// - Parameter visit: the visit that is shown. Nil for an ordinary visit.
    func way(of visitor: DeepLinkVisitor, _ link: DeepLink, _ visit: DeepLinkVisit? = nil) -> [String: Any] {
        var values: [String: Any] = ["visitor": name(of: visitor)]
        func lead(_ key: LandingTexts.Key, _ place: DeepLinkDecision.Destination) {
            (values["how"], values["place"]) = (texts(key), places.url(of: place, for: link))
        }
        values["opens"] = texts(.linkOpens)
        values["appURL"] = places.inApp(of: visitor, link)
        let visit = visit ?? visitor.visit(isInvite: link.isInvite(places.links))
        switch DeepLinkDecision(to: visit, link, app).way {
        case .redirect(let place): lead(.linkAtOnce, place)
        case .page(let place): lead(.linkPageFirst, place)
        case .asking(let iPad, other: let place):
            lead(.linkPageFirst, place)
            values["iPadPlace"] = places.url(of: iPad, for: link)
        case .preview:
            values["previewTitle"] = link[.st] ?? app.name
            values["previewText"] = link[.sd] ?? app.tagline
            values["previewImage"] = link[.si]
        }
        return values
    }

    func name(of visitor: DeepLinkVisitor) -> String {
        switch visitor {
        case .iPhone: "iPhone"
        case .iPad: "iPad"
        case .android: "Android"
        case .mac: texts(.flowMac)
        case .computer: texts(.linkComputer)
        case .preview: texts(.linkPreview)
        }
    }
}
