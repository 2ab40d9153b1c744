import ArgumentParser
import LinkTools

/// `kith check-links`: what keeps links of a host from opening apps.
struct CheckLinks: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-links",
        abstract: "Show what Apple, Google and the apps would refuse in a host's association files.",
        discussion: """
            Fetches apple-app-site-association and assetlinks.json of a host, or reads them from a folder, and tells what is \
            wrong with them, whose rule it is, and the mend. docs/check-links.md has all findings. It comes from this machine, \
            so it does not see what a firewall keeps from Apple's and Google's servers.

            Exit codes: 0 if there is no error; 1 if there is one; 2 for wrong usage.
            """)

    @Argument(help: "A host (join.example.com), with or without a port, a URL, or a folder with the files.")
    var target: String

    @Option(help: "Say which rule of which app this URL, or path, meets. May be given several times.")
    var url: [String] = []

    @Option(
        help: ArgumentHelp(
            "An app that must be there. May be given several times.", valueName: "TEAMID.bundle"))
    var iosApp: [String] = []

    @Option(
        help: ArgumentHelp(
            "An app and a key that must be there. May be given several times.", valueName: "package=SHA-256"))
    var androidApp: [String] = []

    @Flag(help: "Print the findings as JSON.")
    var json = false

    func run() async throws {
        let check: LinkCheck
        do {
            check = try LinkCheck(target, urls: url, iosApps: iosApp, androidApps: androidApp)
        } catch {
            throw ValidationError(error.description)
        }
        let progress = ProgressLine()
        let report = await check.run { progress.show($0) }
        progress.end()
        for line in json ? [try report.json()] : report.lines { try say(line) }
        guard report.isSound else {
            throw Failure("links of \(target) may not open the app: \(report.summary)")
        }
    }
}
