import Kernel
import Visits

/// What a visitor of a user's link gets: a page with these buttons, or a redirect to a store. A pure function
/// decides by the table "What a page offers" in docs/rules.md.
struct LandingDecision: Hashable, Sendable {
    /// The row of the table.
    let row: Int
    /// The buttons, in their order.
    var offers: [LandingButton]
    /// Whether the visitor sees no page, but goes where the first button would lead.
    var isRedirect = false
    /// The system that the app needs and this phone does not have, as in `iOS 16`.
    var needs: String?
}

/// A visit of a user's link.
struct LandingVisit: Hashable, Sendable {
    var device: Device
    /// Whether signing up by the link makes friends, or asks.
    var isInvite: Bool
    /// Whether the page has a URL that opens the app.
    var opensApp: Bool
    /// Whether the visitor comes from our page in the browser of another app.
    var hasLeft = false
    /// Whether a browser fetches the page before anybody has opened it.
    var isUnopened = false
}

extension LandingDecision {
    init(to visit: LandingVisit, _ app: AppListing) {
        let (device, system) = (visit.device, visit.device.system)
        let stores = app.stores(on: system)
        let intoApp: [LandingButton] =
            !visit.opensApp
            ? [] : system == .android && app.androidPackage != nil ? [.appOrPlayStore] : [.app]
        if system == .other {
            self.init(row: 8, offers: (app.hasDesktopApp ? intoApp : []) + stores)
        } else if app.isTooNew(for: device) {
            self.init(row: 1, offers: app.home, needs: app.needs(on: system))
        } else if device.inAppBrowser != nil {
            let wayOut: [LandingButton] = device.hasWayOut && !visit.hasLeft ? [.browser] : []
            self.init(row: system == .iOS ? 2 : 3, offers: stores + wayOut + intoApp)
        } else if app.storeFirst, visit.isInvite, !visit.hasLeft, !visit.isUnopened, !stores.isEmpty {
            self.init(row: system == .iOS ? 4 : 5, offers: stores, isRedirect: true)
        } else if system == .iOS {
            self.init(row: 6, offers: stores + intoApp)
        } else {
            self.init(row: 7, offers: intoApp == [.appOrPlayStore] ? intoApp + stores : stores + intoApp)
        }
    }

    /// Decides about a page that leads to nobody, and about every page once the service has closed.
    init(toNobodyOn device: Device, _ app: AppListing, isClosed: Bool = false) {
        guard !isClosed else {
            self.init(row: 10, offers: app.sunsetURL == nil ? [] : [.sunset])
            return
        }
        self.init(row: 9, offers: app.home + (app.isTooNew(for: device) ? [] : app.stores(on: device.system)))
    }
}

extension AppListing {
    fileprivate var home: [LandingButton] { homeURL == nil ? [] : [.home] }

    fileprivate func stores(on system: Device.System) -> [LandingButton] {
        let appStore: [LandingButton] = appStoreURL != nil && system != .android ? [.appStore] : []
        let playStore: [LandingButton] = playStoreURL != nil && system != .iOS ? [.playStore] : []
        return appStore + playStore
    }

    /// Returns what a browser says about its device. The version of the system is read only if it matters.
    func device(of agent: UserAgent) -> Device {
        var device = Device(agent)
        if minimum(on: device.system) != nil { device.version = agent.version(of: device.system) }
        return device
    }

    /// Whether the device has a system on which the app does not run. False if nobody can tell.
    func isTooNew(for device: Device) -> Bool {
        guard let minimum = minimum(on: device.system), let version = device.version else { return false }
        return version < minimum
    }

    private func minimum(on system: Device.System) -> SystemVersion? {
        switch system {
        case .iOS: minimumIOS
        case .android: minimumAndroid
        case .other: nil
        }
    }

    fileprivate func needs(on system: Device.System) -> String? {
        minimum(on: system).map { "\(system == .iOS ? "iOS" : "Android") \($0)" }
    }
}
