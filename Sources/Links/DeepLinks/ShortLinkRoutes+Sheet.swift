import Charts
import Foundation
package import Hummingbird
package import Kernel
import Visits
import Web

/// Many links at once: made of a table, and listed as one.
extension ShortLinkRoutes {
    /// `POST /v1/link-sheets` makes a link of each line of a table, or none if a line is wrong.
    @Sendable package func makeMany(
        _ request: Request, context: CallerContext
    ) async throws -> LinkSheetResponse {
        let maker = try context.linkMaker()
        let body = try await request.decode(as: LinkSheetRequest.self, context: context)
        let domain = try domain(named: body.domain)
        let key = try IdempotencyKey(request, call: "links", content: [body.csv])
        var (answer, plans) = (LinkSheetResponse(lines: []), [Plan]())
        var codes: Set<String> = []
        for line in try body.lines() {
            var shown = LinkSheetResponse.Line(line: line.number, name: line["name"], link: line["link"])
            do {
                let plan = try await plan(line, in: domain)
                if case .custom(let code) = plan.suffix, !codes.insert(code.text).inserted {
                    throw Problem.invalid("code", "stands on an earlier line")
                }
                shown.warnings = plan.warnings.map(ShortLinkResponse.Warning.init)
                plans.append(plan)
            } catch let problem as Problem {
                shown.problems = [.init(field: problem.field, detail: problem.detail)]
            }
            answer.lines.append(shown)
        }
        guard answer.isGood, body.dryRun != true else { return answer }
        do {
            let links = plans.map { (link: $0.link, suffix: $0.suffix, details: $0.details) }
            let codes = try await creation.create(links, in: domain, by: maker, key: key)
            for (place, code) in codes.enumerated() {
                answer.lines[place].url = "\(domain.text)/\(code.text)"
            }
            answer.made = codes.count
        } catch let taken as ShortLinkCreation.TakenCode {
            let problem = DeepLinkError.codeTaken.problem
            answer.lines[taken.place].problems = [.init(field: problem.field, detail: problem.detail)]
        }
        return answer
    }

    /// A link that a line asks for.
    private struct Plan {
        let link: DeepLink
        let suffix: ShortLinkCreation.Suffix
        let details: ShortLinkDetails
        let warnings: [LinkWarning]
    }

    /// Throws a problem that names the column.
    private func plan(_ line: LinkSheetRequest.Line, in domain: LinkDomain) async throws -> Plan {
        let details = ShortLinkDetails(
            name: try ShortLinkDetails.name(line["name"]), note: try ShortLinkDetails.note(line["note"]),
            tags: try LinkTag.tags(line.tags))
        let (link, warnings) = try read(line.parameters, in: "")
        try await naming(in: "") { try await store.requireNoLink(at: link.target, of: domains) }
        guard let text = line["code"] else {
            return Plan(link: link, suffix: .short, details: details, warnings: warnings)
        }
        guard let code = ShortLink.Code(text), domains.opens(code, in: domain) else {
            throw Problem.invalid(
                "code", "must have 1 to 128 letters, digits, - and _, and nothing else of this server there")
        }
        if let (own, rest) = domains.having(link.target), own == domain, rest == "/\(code.text)" {
            throw DeepLinkError.targetIsLink(.link, link.target.text).problem
        }
        if let there = try await store.find(code, in: domain), there.parameters != link.parameters {
            throw DeepLinkError.codeTaken.problem
        }
        return Plan(link: link, suffix: .custom(code), details: details, warnings: warnings)
    }

    /// How many links the table of a list has at most.
    private static let mostListed = 5_000

    /// Returns the links of a list as a table, from the cursor on.
    func table(
        of list: @Sendable (_ after: Cursor?, _ limit: Int) async throws -> ListPage<CountedLink>
    ) async throws -> CSV {
        var (rows, after) = ([[String]](), Cursor?.none)
        repeat {
            let page = try await list(after, 500)
            rows += page.items.map(\.fields)
            after = page.next
        } while after != nil && rows.count < Self.mostListed
        return CSV(name: "links", rows: [CountedLink.columns] + rows)
    }
}

/// A link of a list, with how often it was used.
struct CountedLink: Sendable {
    let row: ShortLinkStore.Row
    let domain: LinkDomain
    let counts: ClickStore.Totals

    private static let campaign: [LinkParameter] = [.utmSource, .utmMedium, .utmCampaign]
    static let columns =
        [
            "url", "name", "link", "tags", "note", "clicks", "recent_clicks", "installs", "sign_ups",
            "friendships", "created_at", "archived_at", "expires_at", "key_id",
        ] + campaign.map(\.rawValue)

    var fields: [String] {
        let numbers = [
            counts.clicks, counts.recentClicks, counts.installs, counts.signUps, counts.friendships,
        ].map { String($0) }
        let texts = [
            "\(domain.text)/\(row.code.text)", row.name ?? "", row.parameters["link"] ?? "",
            row.tags.joined(separator: ", "), row.note ?? "",
        ]
        let times = [row.createdAt, row.archivedAt, row.expiresAt].map { $0.map(JSON.timestamp) ?? "" }
        let campaign = Self.campaign.map { row.parameters[$0.rawValue] ?? "" }
        return texts + numbers + times + [row.createdBy ?? ""] + campaign
    }
}
