import HTTPTypes
import TestSupport

@testable import Kith

extension Transcript {
    func tellOfOperators() async throws {
        let key = try await APIKeyStore(db: app.db).create(name: "transcript", scope: .admin)
        let operators: HTTPFields = [.authorization: "Bearer \(key)"]
        try await add(.get, "/v1/admin/users/{uid}/invitees", "u-ann", headers: operators)
        let store = AppliedStore(db: app.db)
        let staging = AppliedApp(hosts: ["https://staging.example.com"], fields: ["name": "Sample Staging"])
        _ = try await store.write(AppliedApps(apps: ["staging": staging]), over: 0)
        try await add(.get, "/v1/admin/apps", headers: operators)
        try await add(
            .post, "/v1/links", headers: operators,
            body: [
                "parameters": ["link": "https://join.example.com/party", "apn": "com.other", "x": "1"],
                "suffix": "custom",
                "code": "summer",
            ])
        try await add(
            .patch, "/v1/links/{code}", "summer", headers: operators,
            body: ["name": "Flyer", "archived": true])
        try await add(.get, "/v1/links/{code}", "summer", headers: operators)
        try await add(
            .post, "/v1/links/resolve", headers: operators,
            body: ["url": "https://go.example.com/summer", "platform": "ios"])
        try await add(.get, "/v1/links/{code}/stats", "summer", headers: operators)
        try await add(.get, "/v1/links", query: "?limit=1", headers: operators)
        try await add(.get, "/links/**", "summer+", headers: operators)
        try await tellOfFirebase(operators)
        try await add(
            .put, "/v1/admin/users/{uid}/invite-freeze", "u-ann", headers: operators, body: ["reason": "spam"]
        )
        try await add(.delete, "/v1/admin/users/{uid}/invite-freeze", "u-ann", headers: operators)
        try await add(
            .put, "/v1/admin/users/{uid}/suspension", "u-bob", headers: operators, body: ["reason": "spam"])
        try await add(.get, "/v1/me", as: "u-bob")
        try await add(.delete, "/v1/admin/users/{uid}/suspension", "u-bob", headers: operators)
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
