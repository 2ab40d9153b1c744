import Foundation
import Graph
import Hummingbird
import Kernel
import Rollout
import Visits
import Web

/// Remote values and experiments on the page of an invite.
extension LandingRoutes {
    /// Changes the page as values and experiments say. Returns the variations that its visitor sees, or those
    /// that they are left out of. A program is in no experiment.
    func change(_ page: inout LandingPage, _ request: Request, _ context: AppContext) async -> [Exposure] {
        guard !page.decision.isRedirect, let known = experiments.ofPages else { return [] }
        let visitor = visitor(request, context)
        let unit = await unit(of: visitor, known)
        func shown(to unit: ExperimentUnit?) -> RemoteValues {
            let asking = AskingApp(
                platform: AppPlatform(page.device.system), language: page.language, country: visitor?.country,
                id: unit?.text, at: world.now())
            return RemoteValues(
                known.values.rules.values, known.experiments.rules.experiments, for: asking, unit,
                ofPages: true)
        }
        var values = shown(to: unit)
        var leftOut: [Exposure] = []
        if let visitor, visitor.address == nil, known.experiments.rules.ofPages {
            // A random visitor is used: over many visits each experiment leaves out as many as it would have
            // counted.
            leftOut = shown(to: ExperimentUnit(visitor: .random())).counted
        } else if !values.counted.isEmpty, let address = context.address,
            limiter?.spend(.visitors, address.subject)?.isAllowed == false
        {
            (leftOut, values) = (values.counted, shown(to: nil))
        }
        page.changes = LandingChanges(values.texts, page.language)
        page.decision.offers = page.changes.ordered(page.decision.offers)
        guard !values.counted.isEmpty else {
            for place in leftOut.indices { leftOut[place].isLeftOut = true }
            return leftOut
        }
        page.unit = unit?.id
        // The button leads to Kith first, so that the tap is counted.
        if page.kind != .profile, page.device.system == .iOS, page.appStoreURL == nil {
            page.appStoreURL = links.below(page.url, "app-store")
        }
        return values.counted
    }

    /// Counts that a visitor in an experiment goes to a store, and returns their unit. Nil if there is none.
    func tap(_ request: Request, _ context: AppContext) async -> UUID? {
        guard let known = experiments.ofPages,
            let unit = await unit(of: visitor(request, context), known)
        else { return nil }
        await experiments.note(Conversion(unit: unit.id, goal: .tap))
        return unit.id
    }

    private func visitor(_ request: Request, _ context: AppContext) -> ClickVisitor? {
        ClickVisitor(request, UserAgent(request.headers[.userAgent]), context.address, countryHeader)
    }

    /// Returns the unit, which is the same for the same browser and address on one day. Nothing is kept on
    /// the visitor's device.
    private func unit(of visitor: ClickVisitor?, _ known: RemoteValueCaches.All) async -> ExperimentUnit? {
        guard known.experiments.rules.ofPages, let visitor,
            let trace = try? await clicks.trace(of: visitor)
        else { return nil }
        return ExperimentUnit(visitor: trace)
    }
}

extension AppPlatform {
    fileprivate init?(_ system: Device.System) {
        switch system {
        case .iOS: self = .ios
        case .android: self = .android
        case .other: return nil
        }
    }
}
