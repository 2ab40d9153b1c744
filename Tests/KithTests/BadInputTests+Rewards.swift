import HTTPTypes

@testable import AppTesting

/// Calls about rewards, and strings in their bodies.
extension BadInputTests {
    private static let reward = "/v1/admin/rewards/00000000-0000-4000-8000-000000000001"

    static let ofRewards = [
        Call(.get, "/v1/me/rewards"), Call(.get, "/v1/admin/rewards"),
        Call(.get, "/v1/admin/rewards/programs"),
        Call(.get, "/v1/admin/rewards/programs/autumn/report"), Call(.get, reward),
        Call(.post, "\(reward)/decision", #"{"decision":"approve","reason":"x"}"#),
        Call(.post, "/v1/rewards/actions", #"{"uid":"u-ann","action":"played","id":"1"}"#),
        Call(.post, "/v1/rewards/signals", #"{"uid":"u-ann","device":"d-1"}"#),
        Call(.post, "/v1/rewards/spend", #"{"uid":"u-ann","unit":"coins","amount":1,"id":"1"}"#),
    ]

    static let rewardStrings: [Slot] =
        ["uid", "action", "id", "at"].map { name in
            let rest = [("uid", "u-ann"), ("action", "played"), ("id", "1")].filter { $0.0 != name }
            return Slot(
                .post, "/v1/rewards/actions", name,
                "{\(rest.map { "\"\($0.0)\":\"\($0.1)\"" }.joined(separator: ",")),\"\(name)\":§}")
        }
        + ["email", "phone", "device", "address", "appAccountToken", "accountCreatedAt", "clickedAt"].map {
            Slot(.post, "/v1/rewards/signals", $0, "{\"uid\":\"u-ann\",\"\($0)\":§}")
        }
        + [
            Slot(.post, "/v1/rewards/spend", "unit", #"{"uid":"u-ann","unit":§,"amount":1,"id":"1"}"#),
            Slot(
                .post, "/v1/rewards/spend", "id", #"{"uid":"u-ann","unit":"coins","amount":1,"id":§}"#),
            Slot(.post, "\(reward)/decision", "decision", #"{"decision":§,"reason":"x"}"#),
            Slot(.post, "\(reward)/decision", "reason", #"{"decision":"approve","reason":§}"#),
        ]
}
