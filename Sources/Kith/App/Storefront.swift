/// What visitors see of one app.
struct Storefront: Sendable {
    let app: AppListing
    let associations: AssociationFiles
    let pages: LandingPages
    let cards: CardRenderer
    let pictures: PictureCache<QRPicture>
    let cardPictures: PictureCache<Card>

    init(
        _ config: Config, _ templates: Templates, _ limiter: RateLimiter?,
        _ cards: (CardStyle) -> CardRenderer
    ) throws {
        app = try AppListing(config.app)
        associations = try AssociationFiles(config.app)
        pages = try LandingPages(
            app: app, templates: templates,
            languages: LandingLanguages(standard: config.app.language, folder: config.app.templates))
        self.cards = cards(try CardStyle(config.cards, icon: app.icon?.picture))
        pictures = PictureCache(limiter: limiter, mostBytes: 4 << 20)
        cardPictures = PictureCache(limiter: limiter, mostBytes: 32 << 20)
    }
}
