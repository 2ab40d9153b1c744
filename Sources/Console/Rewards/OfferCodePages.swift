import Foundation
import Web

/// The codes of a campaign: how many there are, and how operators load and deal them.
enum OfferCodePages {
    static let all: [ConsolePage] = [
        ConsolePage(
            "/offer-codes/{campaign}", in: .rewards, shows: "GET /v1/admin/offers",
            acts: [
                Act("load", calls: "POST /v1/admin/offers/{campaign}/codes", loadCodes),
                Act("deal", calls: "POST /v1/admin/offers/{campaign}/deals", dealCodes),
            ], showCodes)
    ]

    private static func call(_ asked: PageRequest, _ what: String) -> String {
        apiPath("v1", "admin", "offers", asked.parameter("campaign"), what)
    }

    @Sendable private static func showCodes(_ asked: PageRequest) async throws -> Page {
        let (words, key) = (asked.words, asked.parameter("campaign"))
        let campaigns = try await asked.api.get("/v1/admin/offers").list("campaigns")
        guard let campaign = campaigns.first(where: { $0.text("key") == key }) else {
            throw APIProblem(404, "campaign_not_found", "There is no such campaign.")
        }
        var page = Page(words("codes.of", ["campaign": key]), lead: words["codes.lead"])
        page.parent = (path: "/rewards", title: words["area.rewards"])
        page.parts = [try await levels(of: campaign, asked)]
        var codes = Field(
            "codes", words["codes.file"], .long(rows: 8), hint: words["codes.fileHint"],
            example: "ABCD1234EFGH5678", isNeeded: true)
        codes.file = words["codes.chooseFile"]
        let expires = Field("expires", words["codes.expires"], .day, hint: words["codes.expiresHint"])
        if let load = asked.form("load", [codes, expires], submit: words["codes.load"]) {
            page.parts.append(Section(words["codes.load"], lead: words["codes.loadLead"], [load]))
        }
        let uids = Field(
            "uids", words["codes.uids"], .long(rows: 6), hint: words["codes.uidsHint"], isNeeded: true)
        let deal = asked.form(
            "deal", [uids], submit: words["codes.deal"], kind: .plain, question: words["codes.dealQuestion"])
        if let deal {
            page.parts.append(Section(words["codes.dealTitle"], lead: words["codes.dealLead"], [deal]))
        }
        return page
    }

    private static func levels(of campaign: JSONTree, _ asked: PageRequest) async throws -> any Part {
        let words = asked.words
        let from = words.day(asked.now, plus: -364)
        let redeemed = try await asked.api.find(
            apiPath(
                "v1", "admin", "numbers", "offers.redeemed",
                query: ["item": campaign.text("offer"), "from": from, "per": "month"]))
        let isLow = campaign.int("codes.free") < campaign.int("lowWater")
        func number(_ name: String, _ note: String? = nil) -> Figures.Figure {
            Figures.Figure(
                name: words["campaigns.\(name)"], number: words.number(campaign.int("codes.\(name)")),
                note: note)
        }
        return Figures(figures: [
            number("free", isLow ? words["campaigns.low"] : nil), number("dealt"),
            Figures.Figure(
                name: words["codes.redeemed"],
                number: redeemed?["total"]?.int.map(words.number) ?? "–", note: words["codes.inAYear"]),
            number("expiring"), number("stale"),
        ])
    }

    @Sendable private static func loadCodes(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let words = asked.words
        let body = entries.body([Field("codes", "", .long(rows: 1)), Field("expires", "")])
        let report = try await asked.api.send(
            APICall(method: .post, path: call(asked, "codes"), body: body.json, hidesBody: true)
        ).json
        let findings = report.list("findings")
        func sum(_ kind: String) -> Int {
            findings.filter { $0.text("kind") == kind }.reduce(0) { $0 + $1.int("count") }
        }
        let refused = sum("refused")
        let isNone = refused > 0 && report.int("imported") + sum("unchanged") + sum("repaired") == 0
        var page = Page(words[isNone ? "codes.noneLoaded" : "codes.loaded"])
        page.parent = (
            path: apiPath("offer-codes", asked.parameter("campaign")),
            title: words("codes.of", ["campaign": asked.parameter("campaign")])
        )
        page.parts = [
            Figures(figures: [
                .init(name: words["codes.new"], number: words.number(report.int("imported"))),
                .init(name: words["codes.unchanged"], number: words.number(sum("unchanged"))),
                .init(name: words["codes.repaired"], number: words.number(sum("repaired"))),
                .init(name: words["codes.refused"], number: words.number(refused)),
            ])
        ]
        if !findings.isEmpty { page.parts.append(table(of: findings, words)) }
        // Codes are never shown again, so lines that were refused come from the file once more.
        if refused > 0 {
            page.actions = [
                Way(path: apiPath("offer-codes", asked.parameter("campaign")), title: words["codes.again"])
            ]
        }
        return .page(page)
    }

    private static func table(of findings: [JSONTree], _ words: Words) -> Table {
        let rows = findings.map { one -> [Cell] in
            let lines = one.list("lines").compactMap(\.int).map(words.number)
            let more = one.int("count") > lines.count ? " …" : ""
            let kind: Badge.Kind = one.text("kind") == "refused" ? .bad : .plain
            return [
                .text(words.text(ifAny: "codes.reason.\(one.text("reason"))") ?? one.text("detail")),
                .badge(kind, words["codes.\(one.text("kind"))"]), .number(one.int("count")),
                .text(lines.joined(separator: ", ") + more),
            ]
        }
        return Table(
            words["codes.lines"],
            ["codes.why", "rewards.state", "codes.count", "codes.lines"].map { words[$0] }, rows)
    }

    @Sendable private static func dealCodes(_ asked: PageRequest, _ entries: Entries) async throws
        -> Act.Outcome
    {
        let uids = entries["uids"].split(whereSeparator: \.isNewline)
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        let body = JSONBody.object(["uids": .list(uids.map(JSONBody.text))])
        return .file(
            try await asked.api.send(
                APICall(
                    method: .post, path: call(asked, "deals").appending(query: ["format": "csv"]),
                    body: body.json, hidesBody: true)))
    }
}
