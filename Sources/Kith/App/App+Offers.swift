import Hummingbird

/// Offer codes: their routes, and the handlers; purchases and rewards stand beside them.
extension App {
    func addRoutes(forOffers v1: APIRoutes<AccountContext>) {
        v1.post("me/offers/{campaign}", hasBody: false, use: whileOpen(offerRoutes.deal))
        addRoutes(forPurchases: v1)
        addRoutes(forRewards: v1)
    }

    /// For admin keys.
    func addRoutes(forOffers v1: APIRoutes<AdminContext>) {
        v1.get("admin/offers", use: offerRoutes.list)
        v1.put("admin/offers/{campaign}", use: offerRoutes.put)
        addRoutes(forPurchases: v1)
        addRoutes(forRewards: v1)
    }

    var offerRoutes: OfferRoutes {
        OfferRoutes(
            dealing: OfferDealing(
                store: OfferStore(db: db), rule: RewardStore.self, secretsKey: config.secretsKey,
                appStoreID: config.app.appStoreID),
            qr: { try QRCode($0).svg() })
    }
}
