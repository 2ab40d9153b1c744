import HTTPTypes
import Testing

@testable import AppTesting

extension BadInputTests {
    /// Odd text in a path or a query.
    static let inTargets = [
        "%00", "a%00b", "%FF", "%C0%80", "%ED%A0%80", "%F5%80%80%80", "%E3%81", "%", "%4", "%zz", "..",
        "%2e%2e", "%252e%252e", "..%2f..%2fetc%2fpasswd", "%2F", "%5C", "%25", "%0D%0ASet-Cookie:x", "%0A",
        "%20", "+",
        ";", "'--", "%27%20OR%201=1", "%3Cscript%3Ealert(1)%3C%2Fscript%3E", "%22%3E%3Cscript%3Ealert(1)",
        "{uid}",
        "%7B%7Bx%7D%7D", "%E2%80%AE", "%E2%80%8B", "%EF%BB%BF", "%F0%9F%91%A9", "%D9%85%D8%B1", "null", "-1",
        "*", String(repeating: "x", count: 300), String(repeating: "%E8%8A%B1", count: 300), "a|b", "[]", "@",
        "~",
    ]

    /// One valid call of each route.
    struct Call: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let path: String
        var body: Body?
        var testDescription: String { "\(method) \(path)" }
        /// Apple may add members to what it posts.
        var takesUnknownFields: Bool { path == "/hooks/appstore" }

        init(_ method: HTTPRequest.Method, _ path: String, _ body: Body? = nil) {
            (self.method, self.path, self.body) = (method, path, body)
        }
    }

    static let calls =
        [
            Call(.post, "/v1/signup", #"{"username":"newname"}"#), Call(.get, "/v1/me"),
            Call(.patch, "/v1/me", #"{"displayName":"Ann"}"#), Call(.get, "/v1/users/u-ann"),
            Call(.put, "/v1/me/username", #"{"username":"newname"}"#), Call(.get, "/v1/me/usernames"),
            Call(.get, "/v1/usernames/free"), Call(.get, "/v1/me/invite"),
            Call(.post, "/v1/me/invite/rotate"),
            Call(.post, "/v1/invites", "{}"), Call(.get, "/v1/invites"),
            Call(.get, "/v1/invites/0123456789abcdef"),
            Call(.patch, "/v1/invites/0123456789abcdef", #"{"note":"x"}"#),
            Call(.delete, "/v1/invites/0123456789abcdef"), Call(.get, "/v1/invites/0123456789abcdef/joined"),
            Call(.post, "/v1/invites/resolve", #"{"code":"0123456789abcdef"}"#),
            Call(
                .post, "/v1/installs/claim",
                #"{"platform":"ios","installationId":"i-1","pasteboard":"https://join.example.com/users/ann"}"#
            ),
            Call(.get, "/users/ann/app-store"), Call(.get, "/users/ann/play-store"),
            Call(.post, "/v1/invites/accept", #"{"code":"0123456789abcdef"}"#), Call(.get, "/v1/friends"),
            Call(.get, "/v1/config"), Call(.get, "/v1/users"),
            Call(.post, "/v1/requests", #"{"uids":["u-bob"]}"#),
            Call(.get, "/v1/me/changes"), Call(.put, "/v1/friends/u-bob"),
            Call(.delete, "/v1/friends/u-bob"), Call(.get, "/v1/friends/u-bob/mutual"),
            Call(.get, "/v1/friends/u-bob/path"), Call(.get, "/v1/requests"), Call(.get, "/v1/blocks"),
            Call(.put, "/v1/blocks/u-bob"), Call(.delete, "/v1/blocks/u-bob"),
            Call(.post, "/v1/users", #"{"uids":["u-bob"]}"#), Call(.get, "/v1/suggestions"),
            Call(.delete, "/v1/suggestions/u-bob"), Call(.get, "/users/ann"), Call(.get, "/@ann"),
            Call(.get, "/users/ann/qr.svg"),
            Call(.get, "/users/ann/card.jpg"), Call(.get, "/users/ann/qr.png"),
            Call(.get, "/0123456789abcdef"),
            Call(.get, "/0123456789abcdef/qr.svg"), Call(.get, "/0123456789abcdef/qr.png"),
            Call(.get, "/robots.txt"), Call(.get, "/icon.png"), Call(.get, "/apple-app-site-association"),
            Call(.get, "/"),
            Call(.get, "/.well-known/apple-app-site-association"), Call(.get, "/.well-known/assetlinks.json"),
            Call(.delete, "/v1/me"), Call(.get, "/v1/me/export"), Call(.get, "/v1/me/invitees"),
            Call(.put, "/v1/admin/users/u-ann/suspension", #"{"reason":"spam"}"#),
            Call(.delete, "/v1/admin/users/u-ann/suspension"), Call(.get, "/v1/admin/users/u-ann/invitees"),
            Call(.put, "/v1/admin/users/u-ann/invite-freeze", #"{"reason":"spam"}"#),
            Call(.delete, "/v1/admin/users/u-ann/invite-freeze"), Call(.get, "/v1/admin/apps"),
            Call(.get, "/v1/admin/hosts"), Call(.get, "/v1/admin/hosts/x/check"),
            Call(.get, "/v1/policy"), Call(.get, "/v1/policy/remote-config"),
            Call(.get, "/v1/admin/policies"),
            Call(.get, "/v1/admin/policies/evaluate"), Call(.get, "/v1/values"),
            Call(.get, "/v1/admin/values/evaluate"),
            Call(
                .post, "/v1/exposures", #"{"unit":"u","experiment":"exp","phase":1,"variation":"control"}"#),
            Call(.post, "/v1/goals", #"{"unit":"u","goal":"bought"}"#), Call(.get, "/v1/admin/experiments"),
            Call(.get, "/v1/admin/experiments/exp/results"), Call(.get, "/v1/admin/experiments/size"),
            Call(.get, "/v1/admin/inviters"), Call(.get, "/v1/admin/inviters/growing"),
            Call(.get, "/v1/admin/numbers"), Call(.get, "/v1/admin/numbers/people.sign_ups"),
            Call(.get, "/v1/admin/numbers/invites.funnel"),
            Call(.get, "/v1/admin/client-versions/adoption"),
            Call(.get, "/v1/admin/client-versions"), Call(.get, "/v1/admin/client-versions.svg"),
            Call(.get, "/v1/admin/events"), Call(.get, "/v1/me/stream"),
            Call(.get, "/v1/admin/webhooks"),
            Call(.post, "/v1/admin/webhooks", #"{"url":"https://backend.example.com/"}"#),
            Call(.get, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001"),
            Call(.patch, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001", #"{"paused":true}"#),
            Call(.delete, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001"),
            Call(.post, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/secret"),
            Call(
                .post, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/redeliver", #"{"dead":true}"#),
            Call(.post, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/test"),
            Call(.get, "/v1/admin/webhooks/00000000-0000-4000-8000-000000000001/dead"),
            Call(.post, "/v1/me/offers/spring"), Call(.get, "/v1/admin/offers"),
            Call(.put, "/v1/admin/offers/spring", #"{"appStoreId":"1","offer":"x"}"#),
            Call(.post, "/v1/admin/offers/spring/codes", #"{"codes":"ABCD1234"}"#),
            Call(.post, "/v1/admin/offers/spring/deals", #"{"uids":["u-ann"]}"#),
            Call(.post, "/hooks/appstore", #"{"signedPayload":"x"}"#),
            Call(.post, "/v1/me/transactions", #"{"signedTransaction":"x"}"#), Call(.get, "/v1/me/purchases"),
            Call(.post, "/v1/purchases/consume", #"{"uid":"u-ann","originalTransactionId":"1","id":"1"}"#),
            Call(.get, "/v1/admin/purchases/1"), Call(.get, "/v1/admin/redemptions"),
            Call(.get, "/v1/admin/users/u-ann/purchases"),
            Call(
                .post, "/v1/admin/users/u-ann/simulated-purchases", #"{"act":"redeem","campaign":"spring"}"#),
            Call(.get, "/v1/admin/explain"), Call(.get, "/v1/admin/users/u-ann/timeline"),
            Call(.get, "/v1/admin/usernames/free"), Call(.get, "/v1/admin/friends/u-ann/u-bob"),
            Call(.get, "/v1/admin/audit"), Call(.get, "/v1/admin/users"),
            Call(.put, "/v1/admin/users/u-ann/username", #"{"username":"newname","reason":"x"}"#),
            Call(.post, "/v1/admin/users/u-ann/deletion", #"{"reason":"x"}"#),
            Call(.post, "/v1/admin/users/u-ann/undo-invites", #"{"reason":"x","dryRun":true}"#),
            Call(.delete, "/v1/admin/invites/0123456789abcdef"),
            Call(.post, "/v1/links", #"{"parameters":{"link":"https://join.example.com/"}}"#),
            Call(.post, "/v1/link-sheets", #"{"csv":"link\nhttps://join.example.com/"}"#),
            Call(.post, "/v1/links/resolve", #"{"url":"https://go.example.com/c","platform":"ios"}"#),
            Call(.get, "/v1/me/invite/stats"), Call(.get, "/v1/invites/0123456789abcdef/stats"),
            Call(.get, "/v1/links/0123456789abcdef/stats"), Call(.get, "/v1/links"),
            Call(.get, "/v1/link-preview"),
            Call(.get, "/v1/links/0123456789abcdef"),
            Call(.patch, "/v1/links/0123456789abcdef", #"{"name":"x"}"#),
            Call(.delete, "/v1/links/0123456789abcdef"), Call(.get, "/links/a/b+"),
        ] + ofRewards + ofConfig + ofPeople

    /// None says over which revision, so none publishes.
    private static let ofConfig = [
        Call(.get, "/v1/admin/config"), Call(.get, "/v1/admin/config/items/values/a"),
        Call(.post, "/v1/admin/config", #"{"changes":{"values":{"a":"1"}},"reason":"x"}"#),
        Call(.get, "/v1/admin/config/difference"), Call(.get, "/v1/admin/config/publications"),
        Call(.get, "/v1/admin/config/publications/1"),
        Call(.post, "/v1/admin/config/publications/1/revert", #"{"reason":"x"}"#),
        Call(.post, "/v1/admin/config/publications/1/restore", #"{"reason":"x"}"#),
        Call(.get, "/v1/admin/config/drafts"), Call(.get, "/v1/admin/config/drafts/a"),
        Call(.put, "/v1/admin/config/drafts/a", #"{"changes":{"values":{"a":"1"}}}"#),
        Call(.delete, "/v1/admin/config/drafts/a"),
        Call(.post, "/v1/admin/config/drafts/a/publication", #"{"reason":"x"}"#),
        Call(.get, "/v1/admin/config/test-devices"),
        Call(.put, "/v1/admin/config/test-devices/a", #"{"unit":"u"}"#),
        Call(.delete, "/v1/admin/config/test-devices/a"),
    ]

    private static let ofPeople = [
        Call(.get, "/v1/admin/me"), Call(.get, "/v1/admin/people"),
        Call(.get, "/v1/admin/people/ann@example.com"),
        Call(.put, "/v1/admin/people/ann@example.com", #"{"roles":["growth"]}"#),
        Call(.delete, "/v1/admin/people/ann@example.com"),
        Call(.post, "/v1/admin/people/ann@example.com/sign-in-links"), Call(.get, "/v1/admin/sessions"),
        Call(.delete, "/v1/admin/sessions/00000000-0000-4000-8000-000000000001"),
        Call(.get, "/v1/admin/keys"), Call(.post, "/v1/admin/keys", #"{"name":"x","scope":"client"}"#),
        Call(.delete, "/v1/admin/keys/00000000-0000-4000-8000-000000000001"),
    ]

    static let ofExperiments = [
        Slot(.post, "/v1/goals", "unit", #"{"unit":§,"goal":"bought"}"#),
        Slot(.post, "/v1/goals", "goal", #"{"unit":"u","goal":§}"#),
        Slot(.post, "/v1/goals", "id", #"{"unit":"u","goal":"bought","value":1,"id":§}"#),
        Slot(
            .post, "/v1/exposures", "unit",
            #"{"unit":§,"experiment":"exp","phase":1,"variation":"control"}"#),
        Slot(
            .post, "/v1/exposures", "assignment",
            #"{"unit":"u","experiment":"exp","phase":1,"variation":"control","assignment":§}"#),
        Slot(.post, "/v1/purchases/consume", "uid", #"{"uid":§,"originalTransactionId":"1","id":"1"}"#),
        Slot(
            .post, "/v1/purchases/consume", "originalTransactionId",
            #"{"uid":"u-ann","originalTransactionId":§,"id":"1"}"#),
        Slot(.post, "/v1/purchases/consume", "id", #"{"uid":"u-ann","originalTransactionId":"1","id":§}"#),
    ]
}
