import Events
import Graph
import Hummingbird
import Kernel
import Links
import Operations
import Web
import Webhooks

/// Every route of the product, by feature. Those of the operators' address are in `OpsRoutes.swift`. Every
/// route that is not `untilSunset` still works when the service has closed: users read, take and delete what
/// is theirs.
extension App {
    /// The routes at the hosts of the API and of invites.
    var routes: [Route] {
        // A domain that is a whole host has its own router.
        let domains = front.project.domains.filter { front.linkAssociations[$0.origin] == nil }
        return routes(ofHost: front.associations) + routes(ofDeepLinks: domains) + routesOfPages
            + routesOfUsers + routesOfFriends + routesOfInvites + routesOfLinks + routesOfFirebase
            + routesOfPolicies + routesOfExperiments + routesOfOffers + routesOfPurchases + routesOfRewards
            + routesOfEvents + routesOfSupport + routesOfConfig + routesOfPeople
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
        let links = deepLinkRoutes(domains)
        return Set(domains.map(\.prefix)).flatMap { prefix in
            [
                Route.page(prefix.isEmpty ? "/" : prefix, links.open, standby: true),
                Route.page("\(prefix)/**", links.open, standby: true),
            ]
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
        let page = ["after", "limit"]
        return [
            Route(.get, "/v1/config", .anybody(configRoutes.show), allOrigins: true),
            Route(
                .post, "/v1/signup",
                .user(whileOpen(signupRoutes.signUp, afterwards: signupRoutes.repeatSignUp)), limit: .signup,
                addressLimit: .newcomers),
            Route(.get, "/v1/me", .account(meRoutes.show)),
            Route(.patch, "/v1/me", .account(userRoutes.update)),
            Route(.delete, "/v1/me", .user(accountRoutes.delete)),
            // A whole export is more than a look, so it is audited.
            Route(.get, "/v1/me/export", .account(exportRoutes.export), isAudited: true),
            Route(.put, "/v1/me/username", .account(usernameRoutes.rename), untilSunset: true),
            Route(.get, "/v1/me/usernames", .account(usernameRoutes.history), query: page, standby: true),
            Route(
                .get, "/v1/usernames/{username}", .caller(usernameRoutes.availability), limit: .usernames,
                standby: true),
            Route(
                .get, "/v1/users", .account(userRoutes.find), query: ["username"], limit: .usernames,
                standby: true),
            Route(.post, "/v1/users", .account(userRoutes.lookUp), limit: .usernames),
            Route(.get, "/v1/users/{uid}", .account(userRoutes.show), standby: true),
            Route(.put, "/v1/admin/users/{uid}/suspension", .admin(accountRoutes.suspend, or: [.support])),
            Route(
                .delete, "/v1/admin/users/{uid}/suspension", .admin(accountRoutes.restore, or: [.support]),
                query: ["reason"]),
        ]
    }

    private var routesOfFriends: [Route] {
        let (friends, graph, page) = (friendRoutes, graphRoutes, ["after", "limit"])
        return [
            Route(
                .get, "/v1/friends", .user(friends.list), query: ["order", "prefix"] + page, standby: true),
            // A user who asks and takes it back again and again makes the other's phone ring each time, so
            // there is a limit.
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
        let (invites, trees, counts, page) = (inviteRoutes, treeRoutes, statisticsRoutes, ["after", "limit"])
        return [
            Route(
                .post, "/v1/invites/resolve", .caller(invites.resolve), limit: .resolve, untilSunset: true),
            Route(.post, "/v1/invites/accept", .account(invites.accept), limit: .accept, untilSunset: true),
            Route(.post, "/v1/installs/claim", .caller(installRoutes.claim), untilSunset: true),
            Route(.get, "/v1/me/invite", .account(invites.permanent)),
            Route(
                .post, "/v1/me/invite/rotate", .account(invites.rotate), hasBody: false, untilSunset: true),
            Route(.get, "/v1/me/invite/stats", .account(counts.ofAll), query: ["days"], standby: true),
            Route(.get, "/v1/me/invitees", .account(trees.invitees), query: page, standby: true),
            Route(.post, "/v1/invites", .account(invites.issue), untilSunset: true),
            Route(.get, "/v1/invites", .account(invites.list), query: page, standby: true),
            Route(.get, "/v1/invites/{code}", .account(invites.show), standby: true),
            Route(.patch, "/v1/invites/{code}", .account(invites.change), untilSunset: true),
            Route(.delete, "/v1/invites/{code}", .account(invites.revoke)),
            Route(.get, "/v1/invites/{code}/joined", .account(invites.joined), query: page, standby: true),
            Route(.get, "/v1/invites/{code}/stats", .account(counts.ofOne), query: ["days"], standby: true),
            Route(.get, "/v1/admin/users/{uid}/invitees", .admin(trees.tree, or: [.support]), query: page),
            Route(.put, "/v1/admin/users/{uid}/invite-freeze", .admin(trees.freeze, or: [.support])),
            Route(
                .delete, "/v1/admin/users/{uid}/invite-freeze", .admin(trees.unfreeze, or: [.support]),
                query: ["reason"]),
        ]
    }

    private var routesOfLinks: [Route] {
        let links = shortLinkRoutes
        return [
            Route(
                .post, "/v1/links", .key(links.create, or: [.links]), clientLimit: .links, untilSunset: true),
            Route(.post, "/v1/links/resolve", .caller(links.resolve)),
            Route(
                .get, "/v1/links", .backend(links.list, or: [.links, .viewer]),
                query: ["domain", "after", "limit"]),
            Route(.get, "/v1/links/{code}", .backend(links.show, or: [.links, .viewer]), query: ["domain"]),
            Route(.patch, "/v1/links/{code}", .backend(links.change, or: [.links]), query: ["domain"]),
            Route(.delete, "/v1/links/{code}", .backend(links.delete, or: [.links]), query: ["domain"]),
            Route(
                .get, "/v1/links/{code}/stats", .backend(links.statistics, or: [.links, .viewer]),
                query: ["domain", "days"]),
            Route(
                .get, "/links/**", .backend(linkPageRoutes.show, or: [.links, .viewer]), query: nil,
                keyPlace: .password, form: .page),
        ]
    }

    private var routesOfFirebase: [Route] {
        let (links, attribution) = (firebaseLinkRoutes, firebaseAttributionRoutes)
        return [
            .firebase(
                .post, "/fdl/v1/shortLinks", .key(links.create, or: [.links]), clientLimit: .links,
                untilSunset: true),
            .firebase(
                .post, "/fdl/v1/managedShortLinks:create", .backend(links.createManaged, or: [.links]),
                untilSunset: true),
            .firebase(
                .get, "/fdl/v1/{dynamicLink}/linkStats", .backend(links.statistics, or: [.links, .viewer])),
            .firebase(.post, "/fdl/v1/installAttribution", .key(attribution.install), untilSunset: true),
            .firebase(.post, "/fdl/v1/reopenAttribution", .key(attribution.reopen)),
        ]
    }

    private var routesOfEvents: [Route] {
        let (webhooks, page) = (webhookRoutes, ["after", "limit"])
        return [
            Route(.get, EventStream.path, .account(eventRoutes.stream), query: ["after"]),
            Route(.get, "/v1/admin/events", .admin(eventRoutes.list), query: page + ["wait"]),
            Route(.get, "/v1/admin/webhooks", .admin(webhooks.list)),
            Route(.post, "/v1/admin/webhooks", .admin(webhooks.create)),
            Route(.get, "/v1/admin/webhooks/{id}", .admin(webhooks.show)),
            Route(.patch, "/v1/admin/webhooks/{id}", .admin(webhooks.change)),
            Route(.delete, "/v1/admin/webhooks/{id}", .admin(webhooks.delete)),
            Route(.post, "/v1/admin/webhooks/{id}/secret", .admin(webhooks.rotate), hasBody: false),
            Route(.post, "/v1/admin/webhooks/{id}/redeliver", .admin(webhooks.redeliver)),
            Route(.get, "/v1/admin/webhooks/{id}/dead", .admin(webhooks.listDead), query: page),
        ]
    }

    /// The routes with which operators find out why something is as it is, and help users.
    private var routesOfSupport: [Route] {
        let (support, page) = (supportRoutes, ["after", "limit"])
        return [
            Route(
                .get, "/v1/admin/apps",
                .admin(AppsRoutes(applied: AppliedStore(db: db)).show, or: [.viewer, .growth])),
            Route(
                .get, "/v1/admin/explain", .admin(explanationRoutes.explain, or: [.support]),
                query: ["url", "code", "username", "invitedBy"]),
            Route(
                .get, "/v1/admin/usernames/{username}", .admin(asOfRoutes.name, or: [.support]), query: ["at"]
            ),
            Route(
                .get, "/v1/admin/friends/{uid}/{other}", .admin(asOfRoutes.friends, or: [.support]),
                query: ["at"]),
            Route(
                .get, "/v1/admin/users/{uid}/timeline", .admin(timelineRoutes.show, or: [.support]),
                query: page),
            Route(
                .get, "/v1/admin/audit", .admin(auditRoutes.list),
                query: ["uid", "actor", "act", "item", "from", "to"] + page),
            Route(
                .get, "/v1/admin/users", .admin(support.find, or: [.support]),
                query: ["uid", "username", "code"]),
            Route(.put, "/v1/admin/users/{uid}/username", .admin(support.rename, or: [.support])),
            Route(.post, "/v1/admin/users/{uid}/deletion", .admin(support.delete, or: [.support])),
            Route(.post, "/v1/admin/users/{uid}/undo-invites", .admin(support.undo, or: [.support])),
            Route(
                .delete, "/v1/admin/invites/{code}", .admin(support.revoke, or: [.support]), query: ["reason"]
            ),
        ]
    }
}
