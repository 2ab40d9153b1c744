/// What visitors see of one app.
struct Storefront: Sendable {
    let app: AppListing
    let associations: AssociationFiles
    let pages: LandingPages
    let cards: CardRenderer

    init(_ config: Config, _ templates: Templates, faces: FaceCache) throws {
        app = try AppListing(config.app)
        associations = try AssociationFiles(config.app)
        pages = try LandingPages(
            app: app, templates: templates,
            languages: LandingLanguages(standard: config.app.language, folder: config.app.templates))
        cards = CardRenderer(style: try CardStyle(config.cards, icon: app.icon?.picture), faces: faces)
    }
}
