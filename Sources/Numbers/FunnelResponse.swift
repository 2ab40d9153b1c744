import Counts
import Hummingbird
import Web

/// How many came to each step of invites.
struct FunnelResponse: ResponseCodable {
    let from: String
    let to: String
    let timeZone: String
    let steps: [Step]

    struct Step: Codable {
        let measure: String
        /// Nil if the step does not divide by what is asked for, or if it is hidden.
        let count: Int?
        /// The share of the step before that is known. Nil where that is zero, and for the first one.
        let ofPrevious: Double?
        let ofFirst: Double?
    }

    init(_ funnel: Funnel, _ request: NumbersRequest, _ policy: CountPolicy) {
        (from, to, timeZone) = (request.span.first, request.span.last, policy.zoneName)
        steps = Self.steps(of: funnel)
    }

    static func steps(of funnel: Funnel) -> [Step] {
        funnel.steps.map { step in
            Step(
                measure: step.measure, count: step.count,
                ofPrevious: step.count.flatMap { count in
                    step.previous.flatMap { JSON.share(count, of: $0) }
                },
                ofFirst: step.count.flatMap { count in
                    funnel.first.flatMap { JSON.share(count, of: $0) }
                })
        }
    }
}
