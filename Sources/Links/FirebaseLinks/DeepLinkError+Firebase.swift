import HTTPTypes
import Web

extension DeepLinkError {
    /// Returns the error with the texts that Firebase's clients look for. Firebase said no more about what is
    /// wrong with a link.
    /// - Parameter long: the long link, or what stands for it.
    func firebaseProblem(_ long: String) -> Problem {
        switch self {
        case .noTarget: .notParsable(long)
        case .malformed(let value): .notParsable(value)
        case .notAllowed(_, let value):
            .mistaken(
                "We could not match param '\(value.quotable)' with whitelisted URL patterns in this Google project. "
                    + "The operator allows hosts by KITH_LINK_TARGETS.")
        case .tooLong, .tooLargeForApps, .losesUID: .mistaken("Long link is not parsable: \(problem.detail)")
        case .targetIsLink(_, let value):
            .mistaken("Long link is not parsable: \(value.quotable). It must not be a Dynamic Link itself.")
        case .codeUnusable: problem
        case .codeTaken: Problem(.conflict, "code_taken", "The suffix leads elsewhere already.")
        }
    }
}

extension Problem {
    /// Returns a 400. Google's form shows only its text.
    fileprivate static func mistaken(_ message: String) -> Problem {
        Problem(.badRequest, "invalid_field", message)
    }

    static func notParsable(_ value: String) -> Problem {
        mistaken("Long link is not parsable: \(value.quotable)")
    }

    static func notOwned(_ domain: String) -> Problem {
        mistaken("Your project does not own Dynamic Links domain: \(domain.quotable)")
    }

    static func notOneDomain(_ domain: String?, _ prefix: String?) -> Problem {
        mistaken(
            "Invalid Dynamic Link domain: '\((domain ?? "").quotable)' or Domain Uri Prefix: '\((prefix ?? "").quotable)'. "
                + "Expecting exactly one. Dynamic Link Domain isPresent = \(domain != nil), "
                + "Domain Uri Prefix isPresent = \(prefix != nil)")
    }
}

extension String {
    /// The text that a client sent, as far as an answer quotes it.
    fileprivate var quotable: String { utf8.count <= 2048 ? self : "\(prefix(500))…" }
}
