import Hummingbird

/// Purchases: their routes, and the handlers.
extension App {
    /// Without credentials: Apple signs what it sends.
    func addRoutes(forHooks router: Router<AppContext>) {
        router.post("hooks/appstore", use: purchaseRoutes.notify)
    }

    func addRoutes(forPurchases v1: APIRoutes<AccountContext>) {
        v1.post("me/transactions", use: purchaseRoutes.show)
        v1.get("me/purchases", query: ["environment"], use: reading(purchaseRoutes.list))
    }

    /// For keys of backends.
    func addRoutes(forPurchases v1: APIRoutes<CallerContext>) {
        v1.post("purchases/consume", use: purchaseRoutes.consume)
    }

    /// For admin keys.
    func addRoutes(forPurchases v1: APIRoutes<AdminContext>) {
        let (routes, cursors) = (purchaseRoutes, cursors)
        v1.get("admin/purchases/{originalTransactionId}", query: ["environment"], use: routes.showRecord)
        v1.get("admin/users/{uid}/purchases", query: ["environment"], use: routes.listOfUser)
        v1.post("admin/users/{uid}/simulated-purchases", use: routes.simulate)
        v1.get("admin/redemptions", query: ["environment", "orphans", "after", "limit"]) {
            try await routes.listRedemptions($0, context: $1, cursors)
        }
    }

    private var purchaseRoutes: PurchaseRoutes {
        let verifier = config.appStoreRoots.flatMap { roots in
            config.app.iosBundleID.map {
                AppStoreVerifier(roots: roots, bundleID: $0, appStoreID: config.app.appStoreID)
            }
        }
        let taking = PurchaseTaking(
            store: PurchaseStore(db: db), users: users, appStoreID: config.app.appStoreID, now: world.now)
        return PurchaseRoutes(
            intake: AppStoreIntake(taking: taking, verifier: verifier), offers: OfferStore(db: db),
            app: .init(bundleID: config.app.iosBundleID, appStoreID: config.app.appStoreID), now: world.now)
    }
}
