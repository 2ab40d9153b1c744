/// What is known about the number that each PostgreSQL server gets when it is created.
package actor ServerNumber {
    /// Whether the role may not know the number. Each refusal is an error in PostgreSQL's log, so one is
    /// enough.
    package private(set) var isSecret = false

    package init() {}

    package func keepSecret() {
        isSecret = true
    }
}
