import HTTPTypes
package import Web

/// Why there are no rules to evaluate.
package enum AppliedError: ProblemError, CustomStringConvertible {
    /// A newer Kith applied something that this one does not know.
    case unreadable([String])

    package var problem: Problem { .unavailable }

    package var description: String {
        switch self {
        case .unreadable(let mistakes): mistakes.joined(separator: "; ")
        }
    }
}
