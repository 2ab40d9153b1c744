import Hummingbird

/// Offer codes: their routes for admin keys, and the handlers.
extension App {
    func addRoutes(forOffers v1: RouterGroup<AdminContext>) {
        v1.get("admin/offers", use: offerRoutes.list)
        v1.put("admin/offers/{campaign}", use: offerRoutes.put)
    }

    var offerRoutes: OfferRoutes {
        OfferRoutes(
            dealing: OfferDealing(store: OfferStore(db: db), secretsKey: config.secretsKey),
            qr: { try QRCode($0).svg() })
    }
}
