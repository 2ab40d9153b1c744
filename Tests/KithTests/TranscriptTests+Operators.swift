import Foundation
import HTTPTypes
import Postgres
import TestSupport

@testable import AppTesting
@testable import Events
@testable import Growth
@testable import Kernel
@testable import Kith
@testable import Rollout
@testable import Web

extension Transcript {
    func tellOfOperators() async throws {
        let key = try await APIKeyStore(db: app.db).create(name: "transcript", scope: .admin)
        let operators: HTTPFields = [.authorization: "Bearer \(key)"]
        try await add(.get, "/v1/admin/users/{uid}/invitees", "u-ann", headers: operators)
        try await tellWhy(operators)
        let store = AppliedStore(db: app.db)
        let staging = AppliedApp(hosts: ["https://staging.example.com"], fields: ["name": "Sample Staging"])
        _ = try await store.write(AppliedApps(apps: ["staging": staging]), over: 0)
        for route in ["/v1/admin/apps", "/v1/admin/hosts"] { try await add(.get, route, headers: operators) }
        try await add(.get, "/v1/admin/hosts/{host}/check", "staging.example.com", headers: operators)
        try await tellOfUpdates(operators)
        try await tellOfExperiments(operators)
        try await tellOfEvents(operators)
        try await add(
            .post, "/v1/links", headers: operators,
            body: [
                "parameters": ["link": "https://join.example.com/party", "apn": "com.other", "x": "1"],
                "suffix": "custom",
                "code": "summer",
            ])
        try await add(
            .patch, "/v1/links/{code}", "summer", headers: operators,
            body: ["name": "Flyer", "note": "For the fair", "tags": ["Spring", "print"], "archived": true])
        try await add(.get, "/v1/links/{code}", "summer", headers: operators)
        try await add(
            .post, "/v1/links/resolve", headers: operators,
            body: ["url": "https://go.example.com/summer", "platform": "ios"])
        try await add(.get, "/v1/links/{code}/stats", "summer", headers: operators)
        try await add(.get, "/v1/links", query: "?limit=1&tag=spring&order=clicks", headers: operators)
        try await tellOfTables(operators)
        try await add(.get, "/links/**", "summer+", headers: operators)
        try await tellOfFirebase(operators)
        try await tellOfWebhooks(operators)
        try await tellOfOffers(operators)
        try await tellOfRewards(operators)
        try await add(
            .put, "/v1/admin/users/{uid}/invite-freeze", "u-ann", headers: operators, body: ["reason": "spam"]
        )
        try await add(.delete, "/v1/admin/users/{uid}/invite-freeze", "u-ann", headers: operators)
        try await add(
            .put, "/v1/admin/users/{uid}/suspension", "u-bob", headers: operators, body: ["reason": "spam"])
        try await add(.get, "/v1/me", as: "u-bob")
        try await add(.delete, "/v1/admin/users/{uid}/suspension", "u-bob", headers: operators)
        try await tellOfSupport(operators)
        try await tellOfConfig(operators)
        try await tellOfPeople(operators)
        try await add(.delete, "/v1/links/{code}", "summer", headers: operators)
    }

    private func tellOfSupport(_ key: HTTPFields) async throws {
        try await app.signUp("gil")
        let issued = try await add(.post, "/v1/invites", as: "u-gil", body: [:])
        try await add(.get, "/v1/admin/users", query: "?code=\(issued.code ?? "")", headers: key)
        try await add(
            .put, "/v1/admin/users/{uid}/username", "u-gil", headers: key,
            body: ["username": "gilda", "reason": "asked by mail"])
        try await add(
            .delete, "/v1/admin/invites/{code}", issued.code ?? "", query: "?reason=leaked", headers: key)
        let undoing: Body = ["reason": "spam ring", "dryRun": true]
        try await add(.post, "/v1/admin/users/{uid}/undo-invites", "u-gil", headers: key, body: undoing)
        try await add(
            .post, "/v1/admin/users/{uid}/deletion", "u-gil", headers: key, body: ["reason": "asked by mail"])
        try await add(.get, "/v1/admin/audit", query: "?uid=u-gil&limit=2", headers: key)
    }

    private func tellWhy(_ key: HTTPFields) async throws {
        let url = PercentEncoding.encode("\(TestApp.origin)/users/ann?invitedBy=u-ann")
        try await add(.get, "/v1/admin/explain", query: "?url=\(url)", headers: key)
        var asText = key
        asText[.accept] = "text/plain"
        try await add(.get, "/v1/admin/explain", query: "?url=\(url)", headers: asText)
        try await add(.get, "/v1/admin/users/{uid}/timeline", "u-ann", query: "?limit=5", headers: key)
        try await add(.get, "/v1/admin/usernames/{username}", "anna", headers: key)
        try await add(.get, "/v1/admin/friends/{uid}/{other}", "u-ann", "u-bob", headers: key)
    }

    private func tellOfTables(_ key: HTTPFields) async throws {
        try await add(.get, "/v1/links", query: "?tag=none&format=csv", headers: key)
        let sheet = "code,link,apn\nfair,https://join.example.com/party,x\n"
        try await add(.post, "/v1/link-sheets", headers: key, body: ["csv": sheet, "dryRun": true])
        try await add(
            .get, "/v1/link-preview", query: "?link=https://join.example.com/party&st=Party", headers: key)
    }

    private func tellOfOffers(_ key: HTTPFields) async throws {
        let spring: Body = [
            "appStoreId": "123456789", "offer": "Spring 2027", "lowWater": 100, "quarterBudget": 5000,
        ]
        try await add(.put, "/v1/admin/offers/{campaign}", "spring", headers: key, body: spring)
        try await add(.post, "/v1/me/offers/{campaign}", "spring", as: "u-ann")
        let codes: Body = ["codes": "ABCD1234\nEFGH5678\nx\n", "expires": "2099-03-31"]
        try await add(.post, "/v1/admin/offers/{campaign}/codes", "spring", headers: key, body: codes)
        try await add(.post, "/v1/me/offers/{campaign}", "spring", as: "u-ann")
        let users: Body = ["uids": ["u-ann", "u-nobody"]]
        for form in ["", "?format=csv"] {
            try await add(
                .post, "/v1/admin/offers/{campaign}/deals", "spring", query: form, headers: key, body: users)
        }
        try await add(.post, "/v1/me/offers/{campaign}", "autumn", as: "u-ann")
        try await add(
            .put, "/v1/admin/offers/{campaign}", "spring", headers: key,
            body: ["appStoreId": "123456789", "offer": "Autumn 2027"])
        try await add(.get, "/v1/admin/offers", headers: key)
        try await tellOfPurchases(key)
    }

    private func tellOfPurchases(_ key: HTTPFields) async throws {
        let signer = AppStoreSigner.shared
        let (bought, sandbox) = ("2000000000000001", "?environment=sandbox")
        try await add(.post, "/v1/me/transactions", as: "u-ann", body: ["signedTransaction": "x.y.z"])
        try await add(
            .post, "/v1/me/transactions", as: "u-ann",
            body: ["signedTransaction": try signer.vector("a transaction of the sandbox")])
        try await add(
            .post, "/v1/me/transactions", as: "u-bob",
            body: ["signedTransaction": try signer.vector("a transaction of the sandbox")])
        try await add(
            .post, "/hooks/appstore",
            body: ["signedPayload": try signer.vector("a notification of the sandbox")])
        try await add(
            .post, "/hooks/appstore",
            body: ["signedPayload": try signer.vector("a notification of another app")])
        try await add(.get, "/v1/me/purchases", query: sandbox, as: "u-ann")
        try await add(
            .get, "/v1/admin/purchases/{originalTransactionId}", bought, query: sandbox, headers: key)
        try await add(.get, "/v1/admin/purchases/{originalTransactionId}", "1", headers: key)
        let consumed: Body = [
            "uid": "u-ann", "originalTransactionId": bought, "environment": "sandbox", "id": "order-17",
        ]
        try await add(.post, "/v1/purchases/consume", headers: key, body: consumed)
        try await add(.get, "/v1/admin/redemptions", query: "\(sandbox)&orphans=true", headers: key)
        let test: Body = [
            "appStoreId": "123456789", "offer": "Spring 2027", "productId": "com.example.app.monthly",
            "environment": "sandbox",
        ]
        _ = try await app.call(.put, "/v1/admin/offers/spring-test", headers: key, body: test)
        let route = "/v1/admin/users/{uid}/simulated-purchases"
        try await add(
            .post, route, "u-ann", headers: key, body: ["act": "redeem", "campaign": "spring-test"])
        try await add(.post, route, "u-ann", headers: key, body: ["act": "redeem", "campaign": "spring"])
        try await add(
            .get, "/v1/admin/users/{uid}/purchases", "u-ann", query: sandbox, headers: key)
    }

    private func tellOfUpdates(_ key: HTTPFields) async throws {
        var policies = AppliedPolicies()
        policies.policies["old-ios"] = [
            "platform": "ios", "action": "hard", "target": "5.2", "minimumOS": "16.0",
            "when.version.lt": "4.0", "messages.en.title": "Update needed",
        ]
        _ = try await AppliedStore(db: app.db).write(policies, over: 0)
        try await app.app.policies.follow()
        let query = "?platform=ios&version=3.9&os=17.1&app=com.example.app"
        try await add(.get, "/v1/policy", query: query, headers: key)
        try await add(.get, "/v1/policy/remote-config", query: query, headers: key)
        try await add(.get, "/v1/policy", query: "?platform=web", headers: key)
        try await add(.get, "/v1/admin/policies", headers: key)
        try await add(.get, "/v1/admin/policies/evaluate", query: query, headers: key)
        try await app.db.write.run(
            """
            INSERT INTO client_versions (app, day, platform, version, action, count)
            VALUES ('com.example.app', '2026-10-01', 'ios', '3.9', 'hard', 7),
                   ('com.example.app', '2026-10-02', 'ios', '5.2', 'none', 5)
            """)
        let span = "?from=2026-10-01&to=2026-10-02"
        try await add(.get, "/v1/admin/client-versions", query: span, headers: key)
        try await app.db.write.run(
            """
            INSERT INTO counts (subject, measure, day, count)
            VALUES ('version ios 3.9 com.example.app', 'versions.installations', '2026-10-01', 7),
                   ('version ios 5.2 com.example.app', 'versions.installations', '2026-10-02', 5)
            """)
        let spread = "?platform=ios&app=com.example.app&to=2026-10-02"
        try await add(.get, "/v1/admin/client-versions/adoption", query: spread, headers: key)
        try await app.db.write.run(
            """
            INSERT INTO counts (subject, measure, day, count, parts)
            VALUES ('', 'invites.page', '2026-10-01', 9, '{"platform":{"ios":9}}'),
                   ('', 'invites.sign_ups', '2026-10-02', 5, '{"platform":{"ios":4}}'),
                   ('', 'people.sign_ups', '2026-10-01', 7, '{"cause":{"alone":3,"invited":4}}'),
                   ('', 'people.sign_ups', '2026-10-02', 5, '{"cause":{"invited":5}}')
            """)
        try await add(.get, "/v1/admin/numbers", headers: key)
        try await add(
            .get, "/v1/admin/numbers/{measure}", "people.sign_ups", query: "\(span)&by=cause", headers: key)
        try await add(
            .get, "/v1/admin/numbers/invites.funnel", query: "\(span)&platform=ios", headers: key)
        let ann = User.ID(of: User.UID(stored: "u-ann")).uuid.uuidString.lowercased()
        try await app.db.write.run(
            "INSERT INTO counts (subject, measure, day, count) VALUES (\(ann), 'invites.sign_ups', '2026-10-01', 3)"
        )
        try await add(.get, "/v1/admin/inviters", query: span, headers: key)
        try await add(.get, "/v1/admin/inviters/growing", query: "?limit=1", headers: key)
        try await add(.get, "/v1/admin/client-versions.svg", query: span, headers: key)
    }

    private func tellOfExperiments(_ key: HTTPFields) async throws {
        let store = AppliedStore(db: app.db)
        var (values, experiments) = (AppliedValues(), AppliedExperiments())
        values.entries["greeting"] = [
            "value": "Hello", "rules.japan.value": "こんにちは", "rules.japan.when.language": "ja",
        ]
        experiments.entries["loud"] = [
            "goal": "spent", "measures.spent": "mean", "guardrails.bought.margin": "0.02",
            "variations.control.weight": "50", "variations.loud.weight": "50",
            "variations.loud.values.greeting": "HELLO",
        ]
        _ = try await store.write([.init(values, over: 0), .init(experiments, over: 0)])
        try await app.app.experiments.caches.values.follow()
        try await app.app.experiments.caches.experiments.follow()
        try await add(.get, "/v1/values", query: "?platform=ios&unit=i-1&language=ja", headers: key)
        let used: Body = ["unit": "i-1", "experiment": "loud", "phase": 1, "variation": "control"]
        try await add(.post, "/v1/exposures", headers: key, body: used)
        try await add(
            .post, "/v1/exposures", headers: key,
            body: ["unit": "i-1", "experiment": "loud", "phase": 2, "variation": "control"])
        try await add(
            .post, "/v1/exposures", headers: key,
            body: ["unit": "i-1", "experiment": "none", "phase": 1, "variation": "control"])
        try await add(.post, "/v1/goals", headers: key, body: ["unit": "i-1", "goal": "bought"])
        try await add(.post, "/v1/goals", headers: key, body: ["unit": "i-1", "goal": "friend"])
        try await add(
            .post, "/v1/goals", headers: key,
            body: ["unit": "i-1", "goal": "spent", "value": 1250, "id": "order-1"])
        try await add(
            .post, "/v1/goals", headers: key, body: ["unit": "i-1", "goal": "spent", "value": 1250])
        try await add(.get, "/v1/admin/experiments", headers: key)
        try await add(
            .get, "/v1/admin/values/evaluate", query: "?platform=ios&unit=i-1&language=ja", headers: key)
        try await add(.get, "/v1/admin/experiments/{experiment}/results", "loud", headers: key)
        let size = "?rate=5&lift=20&shares=50,50&daily=1200"
        try await add(.get, "/v1/admin/experiments/size", query: size, headers: key)
    }

    private func tellOfEvents(_ key: HTTPFields) async throws {
        try await app.numberEvents()
        for query in ["?limit=2", "?order=newest&type=user.signed_up&limit=1"] {
            try await add(.get, "/v1/admin/events", query: query, headers: key)
        }
        app.app.events.close()
        try await add(.get, "/v1/me/stream", as: "u-ann")
    }

    private func tellOfWebhooks(_ key: HTTPFields) async throws {
        let route = "/v1/admin/webhooks/{id}"
        let answer = try await add(
            .post, "/v1/admin/webhooks", headers: key,
            body: ["url": "https://backend.example.com/kith", "types": ["user.signed_up", "friend.created"]])
        let id = answer["id"] ?? ""
        try await add(
            .post, "/v1/admin/webhooks", headers: key, body: ["url": "http://backend.example.com/kith"])
        try await app.db.write.run(
            """
            INSERT INTO webhook_deliveries (webhook_id, event_id, user_id, attempts, first_failed_at, last_error, dead_at)
            SELECT id, 1, id, 12, now(), 'it answers with status 500', now() FROM webhooks
            """)
        try await add(.get, "/v1/admin/webhooks", headers: key)
        try await add(.get, "\(route)/dead", id, headers: key)
        try await add(.post, "\(route)/redeliver", id, headers: key, body: ["dead": true])
        try await add(.post, "\(route)/secret", id, headers: key)
        try await add(.patch, route, id, headers: key, body: ["paused": true])
        try await add(.get, route, id, headers: key)
        try await add(.post, "\(route)/test", id, headers: key)
        try await add(.delete, route, id, headers: key)
        try await add(.get, route, id, headers: key)
    }

    private func tellOfFirebase(_ key: HTTPFields) async throws {
        let info: Body = [
            "domainUriPrefix": "https://go.example.com", "link": "https://join.example.com/party",
            "androidInfo": ["androidPackageName": "com.other"],
        ]
        func suffix(_ code: String) -> Body { ["option": "CUSTOM", "customSuffix": code] }
        try await add(
            .post, "/fdl/v1/shortLinks", headers: key,
            body: ["dynamicLinkInfo": info, "suffix": suffix("winter")])
        try await add(
            .post, "/fdl/v1/shortLinks", headers: key,
            body: ["longDynamicLink": "https://other.page.link/?link=x"])
        try await add(
            .post, "/fdl/v1/managedShortLinks:create", headers: key,
            body: ["dynamicLinkInfo": info, "suffix": suffix("winter"), "name": "Flyer"])
        let link = "https://go.example.com/winter"
        try await add(
            .get, "/fdl/v1/{dynamicLink}/linkStats", PercentEncoding.encode(link), query: "?durationDays=7",
            headers: key)
        try await add(
            .post, "/fdl/v1/installAttribution", headers: key,
            body: ["bundleId": "com.example.app", "uniqueMatchLinkToCheck": link])
        try await add(
            .post, "/fdl/v1/reopenAttribution", headers: key,
            body: ["bundle_id": "com.example.app", "requestedLink": link])
    }
}
