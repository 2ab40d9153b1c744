import Kernel
import Links
import Pictures
import Web

/// What visitors see of one app.
struct AppPages: Sendable {
    let app: AppListing
    let associations: AssociationFiles
    /// The association files of hosts with nothing but deep links, by their origins.
    let linkAssociations: [String: AssociationFiles]
    var project: LinkedProject
    let pages: LandingPages
    let cards: CardRenderer
    let pictures: PictureCache<QRPicture>
    let cardPictures: PictureCache<Card>

    /// - Parameter hosts: further origins of the app's links.
    init(
        _ config: Config, hosts: [String] = [], _ templates: Templates, _ limiter: RateLimiter?,
        _ cards: (CardStyle) -> CardRenderer
    ) throws {
        app = try AppListing(config.app)
        let project = try LinkedProject(config, hosts: hosts)
        self.project = project
        let own = [config.server.linkURL] + hosts
        associations = try AssociationFiles(
            config.app,
            OpenedPaths.rules(
                project.domains.filter { own.contains($0.origin) }, besideInvites: true,
                vanity: config.app.vanityLinks))
        linkAssociations = try Dictionary(
            grouping: project.domains.filter { !own.contains($0.origin) }, by: \.origin
        )
        .mapValues { try AssociationFiles(config.app, OpenedPaths.rules($0, besideInvites: false)) }
        pages = try LandingPages(
            app: app, templates: templates,
            languages: LandingLanguages(standard: config.app.language, folder: config.app.templates))
        self.cards = cards(try CardStyle(config.cards, icon: app.icon?.picture))
        pictures = PictureCache(limiter: limiter, mostBytes: 4 << 20)
        cardPictures = PictureCache(limiter: limiter, mostBytes: 32 << 20)
    }
}
