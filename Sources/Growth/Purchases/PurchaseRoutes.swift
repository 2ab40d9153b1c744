package import Foundation
import HTTPTypes
package import Hummingbird
package import Kernel
import Web

/// Routes for purchases in the App Store: what Apple and apps bring, and what users may know about theirs.
package struct PurchaseRoutes {
    package let intake: AppStoreIntake
    package let offers: OfferStore
    /// The app of the host. One server may have several, whose users share an account.
    package let app: App
    package let cursors: Cursors
    package let now: @Sendable () -> Date

    package init(
        intake: AppStoreIntake, offers: OfferStore, app: App, cursors: Cursors,
        now: @escaping @Sendable () -> Date
    ) {
        self.intake = intake
        self.offers = offers
        self.app = app
        self.cursors = cursors
        self.now = now
    }

    private var store: PurchaseStore { intake.taking.store }

    /// The app. Its values are nil if the operator did not set them because it is the only one.
    package struct App: Sendable {
        package var bundleID: String?
        package var appStoreID: String?

        package init(bundleID: String? = nil, appStoreID: String? = nil) {
            self.bundleID = bundleID
            self.appStoreID = appStoreID
        }
    }

    /// `POST /hooks/appstore` takes App Store Server Notifications V2. 200 means that it is stored. Apple
    /// resends what gets another answer than 200 to 206 or 400
    /// (https://developer.apple.com/documentation/appstoreservernotifications/responding-to-app-store-server-notifications).
    @Sendable package func notify(_ request: Request, context: AppContext) async throws -> Response {
        // Anybody may call this, so a body that cannot be verified is not read.
        try intake.requireVerifier()
        let body = try await context.requestDecoder.object(in: request)
        guard let payload = (try? JSONDecoder().decode(AppStoreRequest.self, from: Data(body)))?.signedPayload
        else { throw Problem.invalid("signedPayload", "is required: a text") }
        try await intake.notify(payload)
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    /// `POST /v1/me/transactions` takes a transaction that StoreKit gave the app. Answers 201 if the purchase
    /// belongs to the caller from now on, and 200 if it already does.
    @Sendable package func show(
        _ request: Request, context: AccountContext
    ) async throws -> EditedResponse<PurchaseResponse> {
        let body = try await request.decode(as: PurchaseRequest.self, context: context)
        let taken = try await intake.show(body.signedTransaction, by: context.user.id)
        return EditedResponse(
            status: taken.isTied ? .created : .ok, headers: [.cacheControl: "no-store"],
            response: PurchaseResponse(taken.purchase, at: now()))
    }

    /// `GET /v1/me/purchases` shows what the caller bought, which offer codes they redeemed, and how long
    /// that lasts.
    @Sendable package func list(_ request: Request, context: AccountContext) async throws -> PurchasesResponse
    {
        try await purchases(of: context.user.id, in: request.environment(), ofApp: app)
    }

    /// - Parameter app: the only app whose purchases are listed. Nil for all.
    private func purchases(
        of user: User.ID, in environment: OfferCampaign.Environment, ofApp app: App? = nil
    ) async throws -> PurchasesResponse {
        async let dealt = offers.dealt(to: [user], in: environment, ofApp: app?.appStoreID)
        let (purchases, time) = (
            try await store.list(of: user, in: environment, ofApp: app?.bundleID), now()
        )
        let names = purchases.flatMap(\.redemptions).compactMap { $0.offer?.identifier }
        let known = try await offers.campaigns(of: Set(names), in: environment)
        let codes = try await dealt
        return PurchasesResponse(
            appAccountToken: user.uuid.uuidString.lowercased(),
            purchases: purchases.map { PurchaseResponse($0, at: time) },
            redemptions: Redemption.all(of: purchases, at: time, known, codes).map { .init($0) },
            assigned: codes.map { .init(campaign: $0.campaign.text, at: $0.dealtAt, expiresAt: $0.expiresAt) }
        )
    }
}

/// Routes for backends.
extension PurchaseRoutes {
    /// `POST /v1/purchases/consume` notes that a backend gave a consumable. Answers 201, and 200 to the same
    /// id again.
    @Sendable package func consume(
        _ request: Request, context: CallerContext
    ) async throws -> EditedResponse<PurchaseResponse> {
        let body = try await request.decode(as: ConsumptionRequest.self, context: context)
        let (key, user) = try body.checked()
        let (purchase, isNew) = try await intake.taking.consume(key, of: user, by: body.id)
        return EditedResponse(
            status: isNew ? .created : .ok, response: PurchaseResponse(purchase, at: now()))
    }
}

/// Routes for operators.
package extension PurchaseRoutes {
    /// `GET /v1/admin/users/{uid}/purchases` shows what the user sees.
    @Sendable func listOfUser(_ request: Request, context: AdminContext) async throws -> PurchasesResponse {
        try await purchases(of: user(context).id, in: request.environment())
    }

    /// `GET /v1/admin/purchases/{originalTransactionId}` shows a purchase, all its periods, and what Apple
    /// said about it.
    @Sendable func showRecord(
        _ request: Request, context: AdminContext
    ) async throws -> PurchaseRecordResponse {
        let key = Purchase.Key(
            id: context.parameters.get("originalTransactionId") ?? "", environment: try request.environment())
        guard key.id.utf8.count <= 64, let purchase = try await store.find(key) else {
            throw PurchaseError.unknown
        }
        let notices = try await store.notices(about: key)
        let uids = try await store.uids(of: Set([purchase.owner].compactMap(\.self)))
        return PurchaseRecordResponse(
            purchase: PurchaseResponse(purchase, at: now()), bundleId: purchase.bundleID,
            uid: purchase.owner.flatMap { uids[$0]?.text }, tiedAt: purchase.tiedAt,
            periods: purchase.periods.map(PurchaseRecordResponse.Period.init),
            notifications: notices.map { notice, receivedAt in
                .init(
                    id: notice.id, type: notice.type, subtype: notice.subtype, signedAt: notice.signedAt,
                    receivedAt: receivedAt)
            })
    }

    /// `GET /v1/admin/redemptions` lists what offer codes gave, newest first, by pages. `?orphans=true` shows
    /// only redemptions that match no code of ours, from each five hundred that it reads.
    @Sendable func listRedemptions(
        _ request: Request, context: AdminContext
    ) async throws -> RedemptionsResponse {
        let environment = try request.environment()
        let onlyOrphans = try request.flag("orphans")
        let list = Cursors.List(name: "redemptions \(environment.rawValue) \(onlyOrphans)")
        let (after, wanted) = try await cursors.page(request, of: list)
        let limit = onlyOrphans ? 500 : wanted
        let rows = try await store.redemptions(in: environment, after: after, limit: limit + 1)
        let owners = Set(rows.compactMap(\.purchase.owner))
        async let known = redemptions(of: rows.map(\.purchase), owners, in: environment)
        let (found, uids) = try await (known, store.uids(of: owners))
        // If an offer gives several periods, the first counts. A family's share does not count.
        let page = ListPage(rows.map { (cursor: $0.cursor, item: $0) }, limit: limit)
            .map { cursor, purchase in found[purchase.key]?.first { $0.period.id == cursor.key } }
        return try await RedemptionsResponse(
            redemptions: page.items.filter { !onlyOrphans || $0.isOrphan }.map { one in
                .init(one, uid: one.owner.flatMap { uids[$0]?.text })
            }, next: cursors.text(page.next, list))
    }

    private func redemptions(
        of purchases: [Purchase], _ owners: Set<User.ID>, in environment: OfferCampaign.Environment
    ) async throws -> [Purchase.Key: [Redemption]] {
        // Other redemptions of the same owners are read too, since an older one may have used the code of one
        // of these.
        let others = try await store.redeemed(by: owners, in: environment)
        let all = Dictionary((purchases + others).map { ($0.key, $0) }) { first, _ in first }.values
        let names = Set(all.flatMap(\.redemptions).compactMap { $0.offer?.identifier })
        async let campaigns = offers.campaigns(of: names, in: environment)
        async let dealt = offers.dealt(to: owners, in: environment)
        return try await Dictionary(
            grouping: Redemption.all(of: Array(all), at: now(), campaigns, dealt), by: \.key)
    }

    /// `POST /v1/admin/users/{uid}/simulated-purchases` does in the sandbox what the App Store would do. A
    /// second `redeem` changes nothing, and each other act happens once more.
    @Sendable func simulate(
        _ request: Request, context: AdminContext
    ) async throws -> EditedResponse<PurchaseResponse> {
        let body = try await request.decode(as: SimulationRequest.self, context: context)
        let (act, key, days) = try body.checked()
        let user = try await user(context)
        guard let campaign = try await offers.find(key) else { throw OfferError.unknown }
        guard campaign.environment == .sandbox else {
            throw Problem.invalid(
                "campaign", "must be one of the sandbox: nothing is simulated in production")
        }
        let simulation = PurchaseSimulation(act: act, campaign: campaign, user: user.id, days: days)
        let noted = OperatorAct(
            by: context.actor, kind: .simulatePurchase, user: user.id,
            details: ["act": act.rawValue, "campaign": campaign.key.text])
        let taken = try await intake.taking.take(of: simulation.key, from: user.id, noting: noted) { before in
            simulation.news(for: before, bundleID: app.bundleID ?? "simulated", at: now())
        }
        guard let taken else { throw PurchaseError.unknown }
        return EditedResponse(
            status: taken.isTied ? .created : .ok, response: PurchaseResponse(taken.purchase, at: now()))
    }

    private func user(_ context: AdminContext) async throws -> User {
        let uid = try context.userInPath()
        guard let user = try await intake.taking.users.findCaller(User.ID(of: uid)), user.status != .deleted
        else { throw Problem.userNotFound }
        return user
    }
}

extension Request {
    fileprivate func environment() throws(Problem) -> OfferCampaign.Environment {
        guard let text = try query.value("environment") else { return .production }
        guard let environment = OfferCampaign.Environment(rawValue: text) else {
            throw .invalid("environment", "must be production or sandbox")
        }
        return environment
    }

    fileprivate func flag(_ key: String) throws(Problem) -> Bool {
        guard let text = try query.value(key) else { return false }
        guard let flag = Bool(text) else { throw .invalid(key, "must be true or false") }
        return flag
    }
}
