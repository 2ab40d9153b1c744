import HTTPTypes
package import Web

/// Why a card is not available now.
package enum CardError: ProblemError {
    case tooManyWaiting
    case noMemory
    /// The card can be drawn without the user's picture.
    case noFace

    package var problem: Problem {
        Problem(
            .serviceUnavailable, "unavailable", "The picture cannot be drawn now. Try again.", retryAfter: 2)
    }
}
