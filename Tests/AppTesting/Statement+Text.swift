@testable import Postgres

extension Statement {
    /// SQL that a test assembles.
    init(text: String) {
        self.init(sql: text)
    }
}
