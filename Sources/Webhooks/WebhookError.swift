import HTTPTypes
import Kernel
import Web

/// Why a webhook cannot be created, changed or served.
enum WebhookError: String, ProblemError, GuardOutcome {
    case noSecretsKey = "no_secrets_key"
    case tooMany = "too_many_webhooks"
    case tooManyTests = "too_many_tests"
    case unknown = "webhook_unknown"
    /// Another server delivers to the endpoint, or an operator changed it.
    case leaseLost = "webhook_lease_lost"

    var problem: Problem {
        switch self {
        case .noSecretsKey:
            Problem(
                .conflict, "no_secrets_key",
                "Set KITH_SECRETS_KEY to 32 random bytes in base64 (`openssl rand -base64 32`) on every server: it "
                    + "encrypts the secrets of webhooks.")
        case .tooMany:
            Problem(
                .conflict, "too_many_webhooks",
                "There are as many webhooks as there may be. Delete one first.")
        case .tooManyTests:
            Problem(
                .tooManyRequests, "too_many_tests",
                "\(WebhookTest.mostPerMinute) test events were sent within a minute.", retryAfter: 60)
        case .unknown, .leaseLost: Problem(.notFound, "webhook_not_found", "There is no such webhook.")
        }
    }
}
