import Charts
import Foundation
import HTTPTypes
package import Hummingbird
import Imports
package import Kernel
import Web

/// Codes in the hands of operators: loading them, and dealing them to users who are to get them by mail.
extension OfferRoutes {
    /// `POST /v1/admin/offers/{campaign}/codes` loads codes, encrypted before they reach the database. All
    /// valid ones are kept, and the answer says which lines were refused. The same again changes nothing.
    @Sendable package func load(
        _ request: Request, context: AdminContext
    ) async throws -> OfferReportResponse {
        let key = try key(context)
        let body = try await request.decode(as: OfferCodesRequest.self, context: context)
        let expiry = try body.expiry(at: Date())
        guard let secretsKey = dealing.secretsKey else { throw OfferError.noSecretsKey }
        guard try await dealing.store.find(key) != nil else { throw OfferError.unknown }
        guard try await dealing.store.keys(otherThan: OfferDealing.mark(of: secretsKey)).isEmpty else {
            throw OfferError.unreadable
        }
        var file = Optional(Array(body.codes.utf8))
        do {
            let imports = OfferImportStore(db: dealing.store.db, secretsKey: secretsKey)
            let report = try await imports.run(into: key.text, expiresAt: expiry, from: { file.take() })
            let details = ["campaign": key.text, "codes": "\(report.imported)"]
            try await AuditStore(db: dealing.store.db).write(
                OperatorAct(by: context.actor, kind: .loadOfferCodes, details: details))
            return OfferReportResponse(report)
        } catch ImportError.malformed(let line?, let reason) {
            throw Problem.invalid("codes", "cannot be read: line \(line) is \(reason)")
        } catch is ImportError {
            throw OfferError.importRunning
        }
    }

    /// `POST /v1/admin/offers/{campaign}/deals` deals each of some users a code, and shows the codes, also of
    /// those who have one already. The audit notes each.
    @Sendable package func dealMany(_ request: Request, context: AdminContext) async throws -> Response {
        let key = try key(context)
        let users = try await request.decode(as: OfferDealsRequest.self, context: context).users()
        var answer: [OfferDealsResponse.Deal] = []
        for uid in users { answer.append(try await deal(key, to: uid, by: context.actor)) }
        let deals = OfferDealsResponse(campaign: key.text, deals: answer)
        var response = try ChartForm.response(to: request, context, json: deals, table: deals.table)
        response.headers[.cacheControl] = "no-store"
        return response
    }

    private func deal(
        _ key: OfferCampaign.Key, to uid: User.UID, by actor: AuditActor
    ) async throws -> OfferDealsResponse.Deal {
        var deal = OfferDealsResponse.Deal(uid: uid.text)
        do {
            let given = try await dealing.deal(key, to: User.ID(of: uid), by: actor)
            (deal.code, deal.url) = (given.code.text, given.campaign.url(of: given.code))
            (deal.expiresAt, deal.isNew) = (given.expiresAt, given.isNew)
        } catch is AccountError {
            deal.problem = Problem.userNotFound.code
        } catch let error as OfferError where error.isOfUser {
            deal.problem = error.problem.code
        }
        return deal
    }

    private func key(_ context: AdminContext) throws(OfferError) -> OfferCampaign.Key {
        guard let key = context.parameters.get("campaign").flatMap(OfferCampaign.Key.init) else {
            throw .unknown
        }
        return key
    }
}
