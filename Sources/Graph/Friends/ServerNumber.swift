/// What is known of the number that each PostgreSQL server gets when it is made.
actor ServerNumber {
    /// Whether the role may not know it. Each refusal is an error in PostgreSQL's log, so one is enough.
    private(set) var isSecret = false

    func keepSecret() {
        isSecret = true
    }
}
