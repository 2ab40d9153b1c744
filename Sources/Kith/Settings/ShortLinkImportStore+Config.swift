import Kernel
import Links
package import Postgres

extension ShortLinkImportStore {
    /// Creates the import for the app of the settings, and for the applied ones.
    package init(_ db: Database, _ config: Config) async throws {
        var projects = [try LinkedProject(config)]
        for app in try await AppliedStore(db: db).read()?.content.apps.sorted(by: { $0.key < $1.key }) ?? [] {
            projects.append(try LinkedProject(app.value.config(over: config), hosts: app.value.origins))
        }
        self.init(db: db, projects: projects.map { $0.beside(projects) })
    }
}
