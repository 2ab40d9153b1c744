package import Kernel

extension Feature {
    package static let webhooks = Feature(
        tables: [
            Table("webhooks", .insert, .update, .delete),
            Table("webhook_deliveries", .insert, .update, .delete),
        ],
        checks: [.webhookDeliveries])
}
