import HTTPTypes
package import Hummingbird
package import Kernel

/// Routes for offer codes of the App Store: dealing them, and their campaigns.
package struct OfferRoutes {
    package let dealing: OfferDealing
    /// Draws the QR symbol of a URL as SVG.
    package let qr: @Sendable (String) throws -> String

    package init(dealing: OfferDealing, qr: @escaping @Sendable (String) throws -> String) {
        self.dealing = dealing
        self.qr = qr
    }

    private var store: OfferStore { dealing.store }

    /// `POST /v1/me/offers/{campaign}` deals the caller a code and answers 201. A second call gives the same
    /// code and answers 200.
    @Sendable package func deal(
        _ request: Request, context: AccountContext
    ) async throws -> EditedResponse<OfferResponse> {
        guard let key = context.parameters.get("campaign").flatMap(OfferCampaign.Key.init) else {
            throw OfferError.unknown
        }
        let given = try await dealing.deal(key, to: context.user.id)
        let (code, url) = (given.code, given.campaign.url(of: given.code))
        return EditedResponse(
            status: given.isNew ? .created : .ok, headers: [.cacheControl: "no-store"],
            response: OfferResponse(
                campaign: key.text, code: code.text, url: url, qr: try qr(url), expiresAt: given.expiresAt))
    }

    /// `PUT /v1/admin/offers/{campaign}` creates or changes a campaign.
    @Sendable package func put(
        _ request: Request, context: AdminContext
    ) async throws -> EditedResponse<OfferPoolResponse> {
        let body = try await request.decode(as: OfferCampaignRequest.self, context: context)
        let campaign = try body.campaign(context.parameters.get("campaign") ?? "")
        let isNew = try await store.put(campaign, by: context.actor)
        // Another call may have changed it since, or taken it out of the file of `kith apply`. The answer
        // describes this call.
        var pool = try await store.pools(campaign.key).first ?? OfferStore.Pool(campaign: campaign)
        pool.campaign = campaign
        return EditedResponse(status: isNew ? .created : .ok, response: OfferPoolResponse(pool))
    }

    /// `GET /v1/admin/offers` shows all campaigns, and how many codes they have. It shows no code.
    @Sendable package func list(_ request: Request, context: AdminContext) async throws -> OfferPoolsResponse
    {
        OfferPoolsResponse(campaigns: try await store.pools().map(OfferPoolResponse.init))
    }
}
