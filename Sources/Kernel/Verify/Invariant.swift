/// A condition that holds in every database that only Kith has written.
package struct Invariant: Sendable {
    /// The name in the report, in snake_case, which is also that of its column in a check.
    package var name: String { column.description }
    package let column: StaticString
    /// What is wrong in a row that breaks the invariant.
    package let breach: String
    package let remedy: Remedy
    /// The case in which `--repair` does not repair it. Nil if there is none.
    package let exception: String?

    package enum Remedy: Equatable, Sendable {
        /// There is only one correct fix, and `--repair` applies it.
        case repair
        /// A person must decide. The text says what to do.
        case person(String)
    }

    package init(_ name: StaticString, _ breach: String, _ remedy: Remedy, unless exception: String? = nil) {
        column = name
        self.breach = breach
        self.remedy = remedy
        self.exception = exception
    }
}
