import Console
import Events
import Graph
import Growth
import Hummingbird
import Kernel
import Links
import Numbers
import Operations
import Rollout
import Visits
import Web
import Webhooks

// The parameters of queries that several routes have.
private let (page, reason, domain) = (["after", "limit"], ["reason"], ["domain"])
private let (environment, asking) = (["environment"], AskingApp.parameters)
// Who may see links.
private let seen: Set<Role> = [.links, .viewer]

/// Every route of the product, by feature. Those of the operators' address are in `OpsRoutes.swift`. Every
/// route that is not `untilSunset` still works when the service has closed: users read, take and delete what
/// is theirs.
extension App {
    /// The routes at the hosts of the API and of invites.
    var routes: [Route] {
        // A domain that is a whole host has its own router.
        let domains = front.project.domains.filter { front.linkAssociations[$0.origin] == nil }
        return routes(ofHost: front.associations) + routes(ofDeepLinks: domains) + routesOfPages
            + routesOfUsers + routesOfFriends + routesOfInvites + routesOfLinks + routesOfGrowth
            + routesOfSupport + routesOfConfig
    }

    /// Returns the routes at hosts with nothing but deep links.
    func routes(ofLinkHost domains: [LinkDomain]) -> [Route] {
        let files = domains.first.flatMap { front.linkAssociations[$0.origin] } ?? front.associations
        return routes(ofHost: files) + routes(ofDeepLinks: domains)
    }

    /// Returns routes for the files that systems and browsers ask a host for.
    private func routes(ofHost files: AssociationFiles) -> [Route] {
        let (landing, association) = (landingRoutes, AssociationRoutes(files: files))
        return HostFile.allCases.map { file in
            switch file {
            case .icon: .page("/\(file.rawValue)", landing.showIcon)
            case .robots: .page("/\(file.rawValue)", landing.robots)
            case .apple, .oldApple: .page("/\(file.rawValue)", association.apple)
            case .android: .page("/\(file.rawValue)", association.android)
            }
        }
    }

    /// Returns the routes of deep links, at the paths of their domains.
    private func routes(ofDeepLinks domains: [LinkDomain]) -> [Route] {
        let open = deepLinkRoutes(domains).open
        return Set(domains.map(\.prefix)).flatMap { prefix in
            [prefix.isEmpty ? "/" : prefix, "\(prefix)/**"].map { .page($0, open, standby: true) }
        }
    }

    private var routesOfPages: [Route] {
        let landing = landingRoutes
        let pages: [Route] = [
            .page("/", startRoutes.show, untilSunset: true),
            .page("/users/{username}", landing.land, standby: true, untilSunset: true),
            .page("/users/{username}/qr.svg", landing.svg, standby: true, untilSunset: true),
            .page("/users/{username}/qr.png", landing.png, standby: true, untilSunset: true),
            .page("/users/{username}/card.jpg", landing.showCard, standby: true, untilSunset: true),
            // These leave a tap, so they need the primary anyway, where a fresh link is never missing.
            .page("/users/{username}/app-store", landing.appStore, untilSunset: true),
            .page("/users/{username}/play-store", landing.playStore, untilSunset: true),
            .page("/@{username}", landing.vanity, standby: true, untilSunset: true),
            .page("/{code}", landing.short, standby: true, untilSunset: true),
            .page("/{code}/qr.svg", landing.shortSVG, standby: true, untilSunset: true),
            .page("/{code}/qr.png", landing.shortPNG, standby: true, untilSunset: true),
        ]
        return isForDevelopment ? pages + [.page("/dev/devices", devicesRoutes.show)] : pages
    }

    private var routesOfUsers: [Route] {
        let (users, names, accounts) = (userRoutes, usernameRoutes, accountRoutes)
        let signup = whileOpen(signupRoutes.signUp, afterwards: signupRoutes.repeatSignUp)
        return [
            Route(.get, "/v1/config", .anybody(configRoutes.show), allOrigins: true),
            Route(.post, "/v1/signup", .user(signup), limit: .signup, addressLimit: .newcomers),
            Route(.get, "/v1/me", .account(meRoutes.show)),
            Route(.patch, "/v1/me", .account(users.update)),
            Route(.delete, "/v1/me", .user(accounts.delete)),
            // A whole export is more than a look, so it is audited.
            Route(.get, "/v1/me/export", .account(exportRoutes.export), isAudited: true),
            Route(.put, "/v1/me/username", .account(names.rename), untilSunset: true),
            Route(.get, "/v1/me/usernames", .account(names.history), query: page, standby: true),
            Route(
                .get, "/v1/usernames/{username}", .caller(names.availability), limit: .usernames,
                standby: true),
            Route(
                .get, "/v1/users", .account(users.find), query: ["username"], limit: .usernames,
                standby: true),
            Route(.post, "/v1/users", .account(users.lookUp), limit: .usernames),
            Route(.get, "/v1/users/{uid}", .account(users.show), standby: true),
            Route(.put, "/v1/admin/users/{uid}/suspension", .support(accounts.suspend)),
            Route(.delete, "/v1/admin/users/{uid}/suspension", .support(accounts.restore), query: reason),
        ]
    }

    private var routesOfFriends: [Route] {
        let (friends, graph) = (friendRoutes, graphRoutes)
        return [
            Route(
                .get, "/v1/friends", .user(friends.list), query: ["order", "prefix"] + page, standby: true),
            // Limited: each request that is taken back and made again makes the other's phone ring.
            Route(
                .put, "/v1/friends/{uid}", .user(friends.act(.want)), hasBody: false, limit: .accept,
                untilSunset: true),
            Route(.delete, "/v1/friends/{uid}", .user(friends.act(.unwant))),
            Route(
                .get, "/v1/requests", .account(friends.requests), query: ["direction"] + page, standby: true),
            Route(.post, "/v1/requests", .account(friends.ask), limit: .accept, untilSunset: true),
            Route(.get, "/v1/blocks", .account(friends.blocks), query: page, standby: true),
            Route(.put, "/v1/blocks/{uid}", .user(friends.act(.block)), hasBody: false),
            Route(.delete, "/v1/blocks/{uid}", .user(friends.act(.unblock))),
            Route(.get, "/v1/me/changes", .reader(graph.listChanges), query: page),
            Route(.get, "/v1/friends/{uid}/mutual", .reader(graph.mutual), query: page, standby: true),
            Route(.get, "/v1/friends/{uid}/path", .reader(graph.path), standby: true),
            Route(.get, "/v1/suggestions", .reader(graph.suggestions), query: ["limit"], standby: true),
            Route(.delete, "/v1/suggestions/{uid}", .account(graph.dismiss)),
        ]
    }

    private var routesOfInvites: [Route] {
        let (invites, trees, counts) = (inviteRoutes, treeRoutes, statisticsRoutes)
        return [
            Route(.post, "/v1/invites/resolve", .caller(invites.resolve), limit: .resolve, untilSunset: true),
            Route(.post, "/v1/invites/accept", .account(invites.accept), limit: .accept, untilSunset: true),
            Route(.post, "/v1/installs/claim", .caller(installRoutes.claim), untilSunset: true),
            Route(.get, "/v1/me/invite", .account(invites.permanent)),
            Route(.post, "/v1/me/invite/rotate", .account(invites.rotate), hasBody: false, untilSunset: true),
            Route(.get, "/v1/me/invite/stats", .account(counts.ofAll), query: ["days"], standby: true),
            Route(.get, "/v1/me/invitees", .account(trees.invitees), query: page, standby: true),
            Route(.post, "/v1/invites", .account(invites.issue), untilSunset: true),
            Route(.get, "/v1/invites", .account(invites.list), query: page, standby: true),
            Route(.get, "/v1/invites/{code}", .account(invites.show), standby: true),
            Route(.patch, "/v1/invites/{code}", .account(invites.change), untilSunset: true),
            Route(.delete, "/v1/invites/{code}", .account(invites.revoke)),
            Route(.get, "/v1/invites/{code}/joined", .account(invites.joined), query: page, standby: true),
            Route(.get, "/v1/invites/{code}/stats", .account(counts.ofOne), query: ["days"], standby: true),
            Route(.get, "/v1/admin/users/{uid}/invitees", .support(trees.tree), query: page),
            Route(.put, "/v1/admin/users/{uid}/invite-freeze", .support(trees.freeze)),
            Route(.delete, "/v1/admin/users/{uid}/invite-freeze", .support(trees.unfreeze), query: reason),
        ]
    }

    private var routesOfLinks: [Route] {
        let (links, firebase, attribution) = (shortLinkRoutes, firebaseLinkRoutes, firebaseAttributionRoutes)
        return [
            Route(
                .post, "/v1/links", .key(links.create, or: [.links]), clientLimit: .links, untilSunset: true),
            Route(
                .post, "/v1/link-sheets", .backend(links.makeMany, or: [.links]), bodyLimit: .config,
                untilSunset: true),
            Route(.post, "/v1/links/resolve", .caller(links.resolve)),
            Route(
                .get, "/v1/links", .backend(links.list, or: seen),
                query: ShortLinkRoutes.listParameters + page),
            Route(
                .get, "/v1/link-preview", .backend(links.preview, or: seen),
                query: ShortLinkRoutes.previewParameters),
            Route(.get, "/v1/links/{code}", .backend(links.show, or: seen), query: domain),
            Route(.patch, "/v1/links/{code}", .backend(links.change, or: [.links]), query: domain),
            Route(.delete, "/v1/links/{code}", .backend(links.delete, or: [.links]), query: domain),
            Route(
                .get, "/v1/links/{code}/stats", .backend(links.statistics, or: seen),
                query: ["domain", "days"]),
            Route(
                .get, "/links/**", .backend(shortLinkPageRoutes.show, or: seen), query: nil,
                keyPlace: .password, form: .page),
            .firebase(
                .post, "/fdl/v1/shortLinks", .key(firebase.create, or: [.links]), clientLimit: .links,
                untilSunset: true),
            .firebase(
                .post, "/fdl/v1/managedShortLinks:create", .backend(firebase.createManaged, or: [.links]),
                untilSunset: true),
            .firebase(.get, "/fdl/v1/{dynamicLink}/linkStats", .backend(firebase.statistics, or: seen)),
            .firebase(.post, "/fdl/v1/installAttribution", .key(attribution.install), untilSunset: true),
            .firebase(.post, "/fdl/v1/reopenAttribution", .key(attribution.reopen)),
        ]
    }

    /// Updates, experiments, offer codes, purchases and rewards.
    private var routesOfGrowth: [Route] {
        let (policies, versions, counted) = (policyRoutes, versionRoutes, ["from", "to", "platform", "app"])
        let (experiments, offers, rewards, purchases) = (
            experimentRoutes, offerRoutes, rewardRoutes, purchaseRoutes
        )
        return [
            Route(.get, "/v1/policy", .key(policies.show), query: asking + ["installationId"]),
            Route(
                .get, "/v1/policy/remote-config", .key(policies.showAsParameter),
                query: asking + ["installationId"]),
            Route(.get, "/v1/admin/policies", .viewer(policies.list)),
            Route(
                .get, "/v1/admin/policies/evaluate", .viewer(policies.evaluate),
                query: asking + ["installationId", "at"]),
            Route(.get, "/v1/admin/client-versions", .viewer(versions.show), query: counted),
            Route(
                .get, "/v1/admin/client-versions.svg", .viewer(versions.draw),
                query: counted + ["policy", "hl", "width"], keyPlace: .password),
            Route(
                .get, "/v1/admin/client-versions/adoption", .viewer(adoptionRoutes.show),
                query: AdoptionRoutes.parameters),
            Route(.get, "/v1/values", .caller(experiments.show), query: asking + ["unit"]),
            Route(
                .get, "/v1/admin/values/evaluate", .viewer(experiments.evaluate),
                query: asking + ["unit", "at"]),
            Route(.post, "/v1/exposures", .caller(experiments.expose)),
            Route(.post, "/v1/goals", .backend(experiments.reach)),
            Route(.get, "/v1/admin/experiments", .viewer(experiments.list)),
            Route(
                .get, "/v1/admin/experiments/size", .viewer(experimentSizeRoutes.show),
                query: ExperimentSizeRoutes.parameters),
            Route(
                .get, "/v1/admin/experiments/{experiment}/results", .viewer(experiments.results),
                query: ExperimentRoutes.parametersOfResults),
            Route(
                .post, "/v1/me/offers/{campaign}", .account(offers.deal), hasBody: false, untilSunset: true),
            Route(.get, "/v1/admin/offers", .viewer(offers.list)),
            Route(.put, "/v1/admin/offers/{campaign}", .growth(offers.put)),
            Route(.post, "/v1/admin/offers/{campaign}/codes", .growth(offers.load), bodyLimit: .config),
            Route(.post, "/v1/admin/offers/{campaign}/deals", .growth(offers.dealMany), query: ["format"]),
            // Apple signs what it sends, so there is no key.
            Route(.post, "/hooks/appstore", .anybody(purchases.notify), query: nil),
            Route(.post, "/v1/me/transactions", .account(purchases.show)),
            Route(.get, "/v1/me/purchases", .account(purchases.list), query: environment, standby: true),
            Route(.post, "/v1/purchases/consume", .backend(purchases.consume)),
            Route(
                .get, "/v1/admin/purchases/{originalTransactionId}", .support(purchases.showRecord),
                query: environment),
            Route(
                .get, "/v1/admin/users/{uid}/purchases", .support(purchases.listOfUser), query: environment),
            Route(.post, "/v1/admin/users/{uid}/simulated-purchases", .admin(purchases.simulate)),
            Route(
                .get, "/v1/admin/redemptions", .support(purchases.listRedemptions),
                query: environment + ["orphans"] + page),
            Route(.get, "/v1/me/rewards", .account(rewards.list), query: page, standby: true),
            Route(.post, "/v1/rewards/actions", .backend(rewards.act)),
            Route(.post, "/v1/rewards/signals", .backend(rewards.tell)),
            Route(.post, "/v1/rewards/spend", .backend(rewards.spend)),
            Route(
                .get, "/v1/admin/rewards", .support(rewards.search),
                query: ["program", "state", "uid"] + page),
            Route(.get, "/v1/admin/rewards/programs", .viewer(rewards.listPrograms)),
            Route(.get, "/v1/admin/rewards/programs/{program}/report", .viewer(rewards.report)),
            Route(.get, "/v1/admin/rewards/{reward}", .support(rewards.show)),
            Route(.post, "/v1/admin/rewards/{reward}/decision", .support(rewards.decide)),
        ]
    }

    /// The routes with which operators find out why something is as it is, help users, and hear of all.
    private var routesOfSupport: [Route] {
        let (numbers, inviters) = (numbersRoutes, invitersRoutes)
        let (support, asOf, webhooks) = (supportRoutes, asOfRoutes, webhookRoutes)
        return [
            Route(.get, "/v1/admin/apps", .viewer(AppsRoutes(applied: AppliedStore(db: db)).show)),
            Route(.get, "/v1/admin/hosts", .admin(hostsRoutes.list)),
            Route(.get, "/v1/admin/hosts/{host}/check", .admin(hostsRoutes.check)),
            Route(
                .get, "/v1/admin/explain", .support(explanationRoutes.explain),
                query: ["url", "code", "username", "invitedBy"]),
            Route(.get, "/v1/admin/usernames/{username}", .support(asOf.name), query: ["at"]),
            Route(.get, "/v1/admin/friends/{uid}/{other}", .support(asOf.friends), query: ["at"]),
            Route(.get, "/v1/admin/users/{uid}/timeline", .support(timelineRoutes.show), query: page),
            Route(
                .get, "/v1/admin/audit", .admin(auditRoutes.list),
                query: ["uid", "actor", "act", "code", "item", "from", "to"] + page),
            Route(.get, "/v1/admin/users", .support(support.find), query: ["uid", "username", "code"]),
            Route(.put, "/v1/admin/users/{uid}/username", .support(support.rename)),
            Route(.post, "/v1/admin/users/{uid}/deletion", .support(support.delete), freshSignIn: true),
            Route(.post, "/v1/admin/users/{uid}/undo-invites", .support(support.undo)),
            Route(.delete, "/v1/admin/invites/{code}", .support(support.revoke), query: reason),
            Route(
                .get, "/v1/admin/numbers", .viewer(numbers.list), query: NumbersRoutes.listParameters),
            Route(
                .get, "/v1/admin/numbers/{measure}", .viewer(numbers.show), query: NumbersRoutes.parameters),
            Route(
                .get, "/v1/admin/numbers/invites.funnel", .viewer(numbers.showFunnel),
                query: NumbersRoutes.funnelParameters),
            Route(.get, "/v1/admin/inviters", .support(inviters.list), query: ["from", "to", "limit"]),
            Route(
                .get, "/v1/admin/inviters/growing", .support(inviters.listGrowing),
                query: ["minutes", "limit"]),
            Route(.get, EventStream.path, .account(eventRoutes.stream), query: ["after"]),
            Route(
                .get, "/v1/admin/events", .admin(eventRoutes.list),
                query: page + ["wait", "order", "before", "type"]),
            Route(.get, "/v1/admin/webhooks", .admin(webhooks.list)),
            Route(.post, "/v1/admin/webhooks", .admin(webhooks.create)),
            Route(.get, "/v1/admin/webhooks/{id}", .admin(webhooks.show)),
            Route(.patch, "/v1/admin/webhooks/{id}", .admin(webhooks.change)),
            Route(.delete, "/v1/admin/webhooks/{id}", .admin(webhooks.delete)),
            Route(.post, "/v1/admin/webhooks/{id}/secret", .admin(webhooks.rotate), hasBody: false),
            Route(.post, "/v1/admin/webhooks/{id}/redeliver", .admin(webhooks.redeliver)),
            Route(.post, "/v1/admin/webhooks/{id}/test", .admin(webhooks.test), hasBody: false),
            Route(.get, "/v1/admin/webhooks/{id}/dead", .admin(webhooks.listDead), query: page),
        ]
    }

    /// The routes of what operators set, and of who they are.
    private var routesOfConfig: [Route] {
        let (config, drafts, devices, people, keys) = (
            publicationRoutes, draftRoutes, testDeviceRoutes, peopleRoutes, keyRoutes
        )
        let (publications, draft) = ("/v1/admin/config/publications", "/v1/admin/config/drafts/{draft}")
        let (device, person) = ("/v1/admin/config/test-devices/{device}", "/v1/admin/people/{email}")
        return [
            Route(.get, "/v1/admin/config", .viewer(config.show), query: ["revision", "at"]),
            Route(.post, "/v1/admin/config", .growth(config.publish), bodyLimit: .config),
            Route(.get, "/v1/admin/config/items/{section}/{key}", .viewer(config.showItem)),
            Route(.get, "/v1/admin/config/difference", .viewer(config.compare), query: ["from", "to"]),
            Route(.get, publications, .viewer(config.list), query: ["item", "before", "limit"]),
            Route(.get, "\(publications)/{number}", .viewer(config.showPublication)),
            Route(.post, "\(publications)/{number}/revert", .growth(config.revert)),
            Route(.post, "\(publications)/{number}/restore", .growth(config.restore)),
            Route(.get, "/v1/admin/config/drafts", .viewer(drafts.list)),
            Route(.get, draft, .viewer(drafts.show)),
            Route(.put, draft, .growth(drafts.put), bodyLimit: .config),
            Route(.delete, draft, .growth(drafts.delete)),
            Route(.post, "\(draft)/publication", .growth(drafts.publish)),
            Route(.get, "/v1/admin/config/test-devices", .viewer(devices.list)),
            Route(.put, device, .growth(devices.put)),
            Route(.delete, device, .growth(devices.delete)),
            Route(.get, "/v1/admin/me", .admin(people.me, or: Set(Role.allCases))),
            Route(.get, "/v1/admin/people", .admin(people.list)),
            Route(.get, person, .admin(people.show)),
            Route(.put, person, .admin(people.set), freshSignIn: true),
            Route(.delete, person, .admin(people.remove), freshSignIn: true),
            Route(
                .post, "\(person)/sign-in-links", .admin(people.makeLink), hasBody: false, freshSignIn: true),
            Route(.get, "/v1/admin/sessions", .admin(people.listSessions)),
            Route(.delete, "/v1/admin/sessions/{id}", .admin(people.endSession)),
            Route(.get, "/v1/admin/keys", .admin(keys.list)),
            Route(.post, "/v1/admin/keys", .admin(keys.create), freshSignIn: true),
            Route(.delete, "/v1/admin/keys/{id}", .admin(keys.revoke), freshSignIn: true),
        ]
    }

    /// Returns the routes with which people sign in and out at the console's host.
    func routes(ofSignIn console: SignInRoutes) -> [Route] {
        [
            .page("/account", console.home),
            .page("/sign-in", console.signIn),
            .page("/sign-in/{token}", console.link),
            .form("/sign-in/{token}", console.useLink, addressLimit: .signins),
            .page("/sign-in/openid", console.startOpenID, addressLimit: .signins),
            .page("/sign-in/openid/callback", console.endOpenID, addressLimit: .signins),
            .form("/sign-out", console.signOut),
            .form("/sessions/{id}/end", console.endSession),
        ]
    }
}
