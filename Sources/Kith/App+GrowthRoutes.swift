import Growth
import Hummingbird
import Kernel
import Rollout

/// The routes of what helps an app grow: updates, experiments, offers, purchases and rewards.
extension App {
    var routesOfPolicies: [Route] {
        let (policies, versions) = (policyRoutes, versionRoutes)
        let (app, counted) = (AskingApp.parameters, ["from", "to", "platform", "app"])
        return [
            Route(.get, "/v1/policy", .key(policies.show), query: app + ["installationId"]),
            Route(
                .get, "/v1/policy/remote-config", .key(policies.showAsParameter),
                query: app + ["installationId"]),
            Route(.get, "/v1/admin/policies", .admin(policies.list, or: [.viewer, .growth])),
            Route(
                .get, "/v1/admin/policies/evaluate", .admin(policies.evaluate, or: [.viewer, .growth]),
                query: app + ["installationId", "at"]),
            Route(
                .get, "/v1/admin/client-versions", .admin(versions.show, or: [.viewer, .growth]),
                query: counted),
            Route(
                .get, "/v1/admin/client-versions.svg", .admin(versions.draw, or: [.viewer, .growth]),
                query: counted + ["policy", "language"], keyPlace: .password),
        ]
    }

    var routesOfExperiments: [Route] {
        let experiments = experimentRoutes
        return [
            Route(.get, "/v1/values", .caller(experiments.show), query: AskingApp.parameters + ["unit"]),
            Route(.post, "/v1/exposures", .caller(experiments.expose)),
            Route(.post, "/v1/goals", .backend(experiments.reach)),
            Route(.get, "/v1/admin/experiments", .admin(experiments.list, or: [.viewer, .growth])),
            Route(
                .get, "/v1/admin/experiments/{experiment}/results",
                .admin(experiments.results, or: [.viewer, .growth]), query: ["phase"]),
        ]
    }

    var routesOfOffers: [Route] {
        [
            Route(
                .post, "/v1/me/offers/{campaign}", .account(offerRoutes.deal), hasBody: false,
                untilSunset: true),
            Route(.get, "/v1/admin/offers", .admin(offerRoutes.list, or: [.viewer, .growth])),
            Route(.put, "/v1/admin/offers/{campaign}", .admin(offerRoutes.put, or: [.growth])),
        ]
    }

    var routesOfPurchases: [Route] {
        let (purchases, cursors, which) = (purchaseRoutes, cursors, ["environment"])
        return [
            // Apple signs what it sends, so there is no key.
            Route(.post, "/hooks/appstore", .anybody(purchases.notify), query: nil),
            Route(.post, "/v1/me/transactions", .account(purchases.show)),
            Route(.get, "/v1/me/purchases", .account(purchases.list), query: which, standby: true),
            Route(.post, "/v1/purchases/consume", .backend(purchases.consume)),
            Route(
                .get, "/v1/admin/purchases/{originalTransactionId}",
                .admin(purchases.showRecord, or: [.support]),
                query: which),
            Route(
                .get, "/v1/admin/users/{uid}/purchases", .admin(purchases.listOfUser, or: [.support]),
                query: which),
            Route(.post, "/v1/admin/users/{uid}/simulated-purchases", .admin(purchases.simulate)),
            Route(
                .get, "/v1/admin/redemptions",
                .admin({ try await purchases.listRedemptions($0, context: $1, cursors) }, or: [.support]),
                query: which + ["orphans", "after", "limit"]),
        ]
    }

    var routesOfRewards: [Route] {
        let rewards = rewardRoutes
        return [
            Route(.get, "/v1/me/rewards", .account(rewards.list), query: ["after", "limit"], standby: true),
            Route(.post, "/v1/rewards/actions", .backend(rewards.act)),
            Route(.post, "/v1/rewards/signals", .backend(rewards.tell)),
            Route(.post, "/v1/rewards/spend", .backend(rewards.spend)),
            Route(
                .get, "/v1/admin/rewards", .admin(rewards.search, or: [.support]),
                query: ["program", "state", "uid", "after", "limit"]),
            Route(.get, "/v1/admin/rewards/programs", .admin(rewards.listPrograms, or: [.viewer, .growth])),
            Route(
                .get, "/v1/admin/rewards/programs/{program}/report",
                .admin(rewards.report, or: [.viewer, .growth])),
            Route(.get, "/v1/admin/rewards/{reward}", .admin(rewards.show, or: [.support])),
            Route(.post, "/v1/admin/rewards/{reward}/decision", .admin(rewards.decide, or: [.support])),
        ]
    }
}
