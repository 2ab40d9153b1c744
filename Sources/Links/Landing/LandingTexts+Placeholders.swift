/// The placeholders that each text of a language may contain: only those that are filled in wherever the text
/// stands.
extension LandingTexts.Key {
    var placeholders: [LandingTexts.Placeholder] {
        switch self {
        case .locale, .direction: []
        // These stand only on the page of a user.
        case .inviteTitle, .profileTitle, .inviteSentence, .askSentence, .profileSentence, .open, .showQR,
            .scan, .copy, .linkCopied, .qrAlternative:
            LandingChanges.placeholders
        case .needs: LandingChanges.placeholders + [.system]
        case .daysLeft, .hoursLeft, .minutesLeft, .placesLeft, .friends:
            LandingChanges.placeholders + [.count]
        case .runBy: [.app, .operator]
        case .closes, .closesMore, .closedTitle, .closedSentence, .closedAdvice: [.app, .date]
        // Here `{name}` is the name of a link, a parameter or a visitor.
        case .linkQR, .flowCounts, .flowHas, .flowHasStore, .flowSkipsPage, .flowInvite: [.app, .name]
        case .linkDays: [.app, .count]
        default: [.app]
        }
    }

    /// Returns what is wrong at a brace.
    /// - Parameters:
    ///   - named: the placeholder that it begins. Nil if that is not one.
    ///   - allowed: the placeholders that may stand there.
    func refusal(of named: LandingTexts.Placeholder?, among allowed: [LandingTexts.Placeholder]) -> String {
        let names = allowed.map { "{\($0.rawValue)}" }
        let last = names.last.map { last in
            names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) and \(last)" : last
        }
        guard let last else { return "has a {, and nothing is filled in there" }
        guard let named else { return "has a { that begins none of \(last)" }
        return "has {\(named.rawValue)}, which nothing fills in there; it may have \(last)"
    }
}
