/// Why an operator's command is refused, in the words of the call that does the same.
package enum Refusal {
    /// Returns the reason. Nil for other errors.
    package static func reason(of error: any Error) -> String? {
        (error as? any ProblemError)?.problem.detail
    }
}
