import Counts
import Foundation
import Growth
import Kernel
import Links
import Postgres
import Rollout
import Web

/// `kith dev --year`: a year of sums, and what product people publish, so that the console has something to
/// show. The numbers are made up, and the same each time.
package struct DemoYear: Sendable {
    let app: App

    package init(_ app: App) {
        self.app = app
    }

    /// Returns false, and changes nothing, if something was published before. Throws if the server's settings
    /// refuse what the demo publishes.
    package func make() async throws -> Bool {
        let publisher = Publisher(db: app.db, config: app.config)
        let state = try await publisher.state()
        guard state.revision == 0 else { return false }
        let wanted = try AppsFile(yaml: Self.file, folder: URL(filePath: "/"), config: app.config)
        let plan = try await publisher.plan(wanted.sections, over: state.revision)
        // Before the publication, after which nothing is made: who is stopped meanwhile begins again.
        let sums = sums
        try await CountStore(db: app.db).write(sums)
        try await app.db.write.run(ShortLinkStore.add(clicks: clicks(in: sums)))
        let published = try await publisher.publish(
            plan, by: .thisCommand, from: .file, OperatorReason("The demo"))
        guard published != nil else { return false }
        try await VersionCountStore(db: app.db, numbers: app.config.counts).add(versionCalls)
        await addUnits()
        try await addCodes()
        try await DemoData(app).addGuests()
        return true
    }

    /// What is published.
    private static let file = """
        values:
          greeting:
            value: Hello
            rules:
              japan: {value: こんにちは, when: {language: [ja]}}
          maxPhotos:
            value: 10
            rules:
              wave: {value: 20, when: {rollout: {percent: 20}}}
        experiments:
          warm-greeting:
            goal: subscribed
            variations:
              control: {weight: 50}
              warm: {weight: 50, values: {greeting: Hello friend}}
        policies:
          ios-must:
            platform: ios
            priority: 10
            when: {version: {lt: "3.0"}}
            action: hard
            target: "3.19"
            minimumOS: "16.0"
            url: https://apps.apple.com/app/id1234567890
            messages:
              en: {title: Please update, text: This version no longer works.}
              ja: {title: アップデートのお願い, text: このバージョンはご利用になれません。}
          ios-may:
            platform: ios
            when: {version: {lt: "3.19"}}
            action: soft
            target: "3.19"
            minimumOS: "16.0"
            url: https://apps.apple.com/app/id1234567890
            messages:
              en: {title: New, text: Version 3.19 shows who joined by your link.}
              ja: {title: 新しいバージョン, text: 3.19では招待した友達が分かります。}
        offers:
          spring: {appStoreId: "1234567890", offer: Spring}
        rewards:
          friends:
            qualify: signed_up
            inviter: {credit: {amount: 100, unit: coins}}
            invitee: {credit: {amount: 50, unit: coins}}
        """

    /// Codes of the campaign, which no store takes, if there is a key that encrypts them.
    private func addCodes() async throws {
        guard let secretsKey = app.config.secretsKey else { return }
        let codes = (1000..<1150).map { "DEMO\($0)" }.joined(separator: "\n")
        var file = Optional(Array(codes.utf8))
        let expiry = app.world.now().addingTimeInterval(90 * 86_400)
        _ = try await OfferImportStore(db: app.db, secretsKey: secretsKey).run(
            into: "spring", expiresAt: expiry, from: { file.take() })
    }

    /// Units of the experiment, of which the second variation wins.
    private func addUnits() async {
        guard let subscribed = Goal("subscribed") else { return }
        for (variation, reached) in [("control", 200), ("warm", 280)] {
            let units = (0..<2000).map { _ in UUID(bytes: app.world.randomBytes(16)) }
            await app.experiments.note(
                units.map {
                    Exposure(unit: $0, experiment: "warm-greeting", phase: 1, variation: variation)
                })
            for unit in units.prefix(reached) {
                await app.experiments.note(Conversion(unit: unit, goal: subscribed))
            }
        }
    }
}
