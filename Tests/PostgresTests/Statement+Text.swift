@testable import Postgres

extension Statement {
    /// A text that a test puts together.
    init(text: String) {
        self.init(sql: text)
    }
}
