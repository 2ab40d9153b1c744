import Visits
import Web

/// What `?d=1` shows for a deep link.
struct DeepLinkFlowPage: Sendable {
    /// The URL of the deep link, without `d`.
    var url: String
    /// The parameters of the link, decoded.
    var given: [(name: String, value: String)]
    /// Further pairs of the query that a form must send again.
    var query: [(name: String, value: String)]
    var outcome: Result<LinkResolution.Found, DeepLinkError>
    /// The user agent that somebody pasted, and the visit that it stands for.
    var agent: String?
    var visit: DeepLinkVisit?
    var language: Language
}

/// The HTML of `?d=1`: for each visitor the questions, the answers, and where they lead.
package struct DeepLinkFlowPages: Sendable {
    package let app: AppListing
    package let pages: LandingPages
    package let places: LinkURLs

    package init(app: AppListing, pages: LandingPages, places: LinkURLs) {
        self.app = app
        self.pages = pages
        self.places = places
    }

    var templates: Templates { .flow }

    func html(_ page: DeepLinkFlowPage) -> String {
        let texts = pages.texts(page.language)
        let ways = DeepLinkSummary(app: app, places: places, texts: texts)
        var values = pages.common(page.language)
        let keys: [LandingTexts.Key] = [
            .flowAgent, .flowAgentHint, .flowShow, .linkParameters, .linkLeftOut,
        ]
        for key in keys { values[key.rawValue] = texts(key) }
        values["url"] = page.url
        values["title"] = page.url.split(separator: "//", maxSplits: 1).last.map(String.init)
        values["isLong"] = page.url.utf8.count > 70
        values["agent"] = page.agent
        values["hidden"] = page.query.map { ["name": $0.name, "value": $0.value] }
        values["parameters"] = ways.parameters(page.given, try? page.outcome.get())
        switch page.outcome {
        case .failure(let error):
            (values["broken"], values["reason"]) = (texts(.flowBroken), error.problem.detail)
        case .success(let found):
            values["counts"] = page.visit.map {
                texts(.flowCounts, [.name: ways.name(of: $0.visitor).inPlainText])
            }
            values["flows"] = DeepLinkVisitor.allCases.enumerated().map { number, visitor in
                let isChosen = page.visit?.visitor == visitor
                var flow = ways.way(of: visitor, found.link, isChosen ? page.visit : nil)
                (flow["number"], flow["isChosen"]) = (number, isChosen)
                draw(visitor, found.link, page, texts, in: &flow)
                return flow
            }
        }
        return templates.render(.flow, values)
    }

    /// Draws the way of a visitor. If somebody pasted a user agent, only its way is drawn as taken.
    private func draw(
        _ visitor: DeepLinkVisitor, _ link: DeepLink, _ page: DeepLinkFlowPage, _ texts: LandingTexts,
        in flow: inout [String: Any]
    ) {
        let visit: DeepLinkVisit? =
            if let pasted = page.visit {
                pasted.visitor == visitor ? pasted : nil
            } else {
                visitor.visit(isInvite: link.isInvite(places.links))
            }
        let picture = DeepLinkPicture(
            of: visitor, way: visit.map { visit in { visit.answer($0, link, app) } }, words(texts))
        (flow["width"], flow["height"]) = (DeepLinkPicture.width, picture.height)
        flow["boxes"] = picture.boxes.map { box, isLit in
            [
                "x": box.x, "y": box.y, "boxWidth": box.width, "boxHeight": box.height,
                "look": box.look.rawValue, "lit": isLit,
                "lines": box.lines.enumerated().map { number, line in
                    [
                        "line": line, "x": box.x + box.width / 2,
                        "y": box.y + box.height / 2 + 5 - 9 * (box.lines.count - 1) + 18 * number,
                    ] as [String: Any]
                },
            ] as [String: Any]
        }
        flow["arrows"] = picture.arrows.map {
            ["path": $0.path, "label": $0.label, "x": $0.x, "y": $0.y, "lit": $0.isLit] as [String: Any]
        }
    }

    private func words(_ texts: LandingTexts) -> DeepLinkPicture.Words {
        DeepLinkPicture.Words(
            yes: texts(.flowYes), no: texts(.flowNo),
            question: { question in
                switch question {
                case .has(let names):
                    texts(.flowHas, [.name: names.map(\.rawValue).joined(separator: " / ")])
                case .hasAppStore: texts(.flowHasStore, [.name: LinkParameter.isi.rawValue])
                case .isNewEnough: texts(.flowNewEnough)
                case .isInAppBrowser: texts(.flowInApp)
                case .skipsPage: texts(.flowSkipsPage, [.name: LinkParameter.efr.rawValue])
                case .isUntitledInvite: texts(.flowInvite, [.name: LinkParameter.st.rawValue])
                case .isIPad: texts(.flowIsIPad)
                }
            },
            end: { end in
                switch end {
                case .parameter(let parameter): parameter.rawValue
                case .playStore: "Google Play"
                case .appStore: "App Store"
                case .preview: texts(.linkPreview)
                case .elsewhere: texts(.flowElsewhere)
                }
            },
            manner: { question in
                switch question {
                case .skipsPage: texts(.flowAtOnce)
                case .isIPad: "iPad"
                default: texts(.flowPage)
                }
            })
    }
}
