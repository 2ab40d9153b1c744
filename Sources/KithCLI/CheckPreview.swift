import ArgumentParser
import LinkTools

/// `kith check-preview`: what chat apps show of a link.
struct CheckPreview: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-preview",
        abstract: "Show what chat apps and networks would show of a link, and what keeps them from it.",
        discussion: """
            Fetches the page and its picture as X, Facebook, LINE, Slack, WhatsApp, iMessage, Telegram and Discord do, and \
            robots.txt. It comes from this machine, so it does not see what a firewall keeps from theirs.

            Exit codes: 0 if no rule is broken; 1 if one is; 2 for wrong usage.
            """)

    @Argument(help: "The link, of any page on http or https.")
    var url: String

    func run() async throws {
        guard let check = PreviewCheck(url) else {
            throw ValidationError("the link must be an http or https URL: https://example.com/users/ann")
        }
        let progress = ProgressLine()
        let report = await check.run { progress.show($0) }
        progress.end()
        for line in report.lines { try say(line) }
        guard report.isSound else { throw Failure("previews of this link break rules") }
    }
}
