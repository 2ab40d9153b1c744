import Hummingbird

/// What only `kith dev` serves.
extension App {
    /// `GET /dev/devices` shows what each device gets that opens a link.
    func addRoutes(forDevelopers router: Router<AppContext>, _ landing: LandingRoutes) {
        guard isForDevelopment else { return }
        let platforms = AppPlatform.allCases.filter {
            ($0 == .ios ? front.associations.apple : front.associations.android) != nil
        }
        let page = DevicesPages(pages: front.pages, platforms: Set(platforms))
        router.get("dev/devices", use: DevicesRoutes(landing: landing, page: page).show)
    }
}
