import Counts
import Growth
import Kernel
import Links
package import Postgres
import Rollout
import Web

/// The handlers of policies, experiments, offers, purchases and rewards.
extension App {
    var policyRoutes: PolicyRoutes {
        PolicyRoutes(
            cache: policies, applied: AppliedStore(db: db),
            signer: config.secretsKey.flatMap(PolicySigner.init), devices: testDevices,
            counts: versionCounts, metrics: metrics,
            stores: [
                .ios: .init(id: config.app.iosBundleID, url: app.appStoreURL),
                .android: .init(id: config.app.androidPackage, url: app.playStoreURL),
            ],
            apps: linked, numbers: config.counts, world: world)
    }

    var versionRoutes: VersionRoutes {
        VersionRoutes(
            store: VersionCountStore(db: db, numbers: config.counts), policies: policies, world: world)
    }

    var adoptionRoutes: AdoptionRoutes {
        AdoptionRoutes(
            store: AdoptionStore(db: db, numbers: config.counts), policies: policies, world: world)
    }

    var experimentRoutes: ExperimentRoutes {
        ExperimentRoutes(
            recorder: experiments, applied: AppliedStore(db: db), history: PublicationStore(db: db),
            devices: testDevices, keys: cursors.keys, limiter: rateLimiter,
            countryHeader: config.counts.countryHeader, world: world
        )
    }

    var experimentSizeRoutes: ExperimentSizeRoutes {
        ExperimentSizeRoutes(store: ExperimentSizeStore(db: db, numbers: config.counts))
    }

    /// The App Store purchases that belong to the host's app. If its settings do not say which, an app that
    /// is alone on the server has all of them. One beside others has none, since they would belong to those.
    private var storeApp: PurchaseRoutes.App {
        let unsaid = linksByApp.count == 1 ? nil : ""
        return .init(
            bundleID: config.app.iosBundleID ?? unsaid, appStoreID: config.app.appStoreID ?? unsaid)
    }

    var offerRoutes: OfferRoutes {
        OfferRoutes(
            dealing: OfferDealing(
                store: OfferStore(db: db), rule: RewardStore.self, secretsKey: config.secretsKey,
                appStoreID: storeApp.appStoreID),
            qr: { try QRCode($0).svg() })
    }

    var purchaseRoutes: PurchaseRoutes {
        let verifier = config.appStoreRoots.flatMap { roots in
            config.app.iosBundleID.map {
                AppStoreVerifier(roots: roots, bundleID: $0, appStoreID: config.app.appStoreID)
            }
        }
        let taking = PurchaseTaking(
            store: PurchaseStore(db: db), users: users, appStoreID: config.app.appStoreID, now: world.now)
        return PurchaseRoutes(
            intake: AppStoreIntake(taking: taking, verifier: verifier), offers: OfferStore(db: db),
            app: storeApp, cursors: cursors, now: world.now)
    }

    var rewardRoutes: RewardRoutes {
        RewardRoutes(
            store: RewardStore(db: db), referrals: ReferralStore(db: db), signals: RewardSignalStore(db: db),
            applied: AppliedStore(db: db), users: users, cursors: cursors, secretsKey: config.secretsKey,
            disposable: config.disposableDomains, now: world.now)
    }
}

extension RewardReview {
    /// Creates the review for commands.
    package init(_ db: Database) {
        self.init(store: RewardStore(db: db), applied: AppliedStore(db: db))
    }
}
