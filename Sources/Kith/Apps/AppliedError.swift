import HTTPTypes

/// Why there are no rules to evaluate.
enum AppliedError: ProblemError, CustomStringConvertible {
    /// A newer Kith applied what this one does not know.
    case unreadable([String])

    var problem: Problem { .unavailable }

    var description: String {
        switch self {
        case .unreadable(let mistakes): mistakes.joined(separator: "; ")
        }
    }
}
