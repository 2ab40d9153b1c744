import Foundation
import Testing

@testable import Kernel
@testable import Kith
@testable import Rollout

extension TestApp {
    /// Makes a file true, even if `kith apply` refused it beside what is applied, and lets the server follow.
    func apply(_ yaml: String) async throws {
        let file = try AppsFile(yaml: yaml, folder: URL(filePath: "/"), config: app.config)
        let publisher = Publisher(db: db, config: app.config)
        let plan = try await publisher.plan(file.sections, over: publisher.history.revision())
        if !plan.section.changes.isEmpty {
            #expect(
                try await publisher.publish(plan, by: AuditActor(.command, "test"), from: .file, nil) != nil)
        }
        #expect(try await hosts.follow().isEmpty)
        try await app.policies.follow()
        try await app.experiments.caches.values.follow()
        try await app.experiments.caches.experiments.follow()
    }
}
