/// What an operator decides about a reward, whatever rules say.
package enum OperatorDecision: String, CaseIterable, Sendable {
    case approve, reject
    case clawBack = "claw_back"
}

extension Reward {
    /// Whether a decision changes anything. It does not if the same decision gave the reward its state.
    /// Throws a `RewardError` that says why it is not possible.
    ///
    /// After a refund `reject` or `clawBack` makes the end final: then no reversal of the refund brings the
    /// reward back.
    func isChanged(by decision: OperatorDecision) throws(RewardError) -> Bool {
        switch (decision, state) {
        case (.approve, .pending), (.approve, .flagged), (.approve, .rejected), (.approve, .voided),
            (.approve, .clawedBack), (.reject, .pending), (.reject, .flagged), (.clawBack, .approved),
            (.clawBack, .assigned), (.clawBack, .settled):
            return true
        case (.approve, .approved), (.approve, .assigned), (.approve, .settled):
            if cause == .operator { return false }
            throw .given
        case (.reject, .rejected), (.clawBack, .clawedBack):
            if cause == .operator { return false }
            guard state == .clawedBack else { throw .ended }
            return true
        case (.reject, .voided):
            guard cause == .refund else { throw .ended }
            return true
        case (.reject, .approved), (.reject, .assigned), (.reject, .settled), (.reject, .clawedBack):
            throw .given
        case (.clawBack, .pending), (.clawBack, .flagged), (.clawBack, .rejected), (.clawBack, .voided):
            throw .notGiven
        case (_, .expired): throw .ended
        }
    }
}
