/// The lanes for reads, which the primary and each standby have.
struct ReadLanes: Sendable {
    enum Name: CaseIterable { case landings, read, lists, walks }

    let landings, read, lists, walks: Lane

    /// Lanes with these settings, which connect to nothing yet.
    init(_ settings: LaneSettings, _ deadlines: Deadlines) {
        let configuration = settings.configuration
        func shared(_ name: String, _ limits: Database.Limits, stuckAfter: Int32 = 2) -> Lane {
            var settings = settings.named(name, limits, .shared)
            settings.isReadOnly = true
            settings.stuckAfter = stuckAfter
            return Lane(settings, .read, deadlines)
        }
        landings = shared("landings", configuration.landings)
        read = shared("read", configuration.read)
        lists = shared("lists", configuration.lists, stuckAfter: 20)
        walks = Lane(settings.named("walks", configuration.walks, .alone), .single, deadlines)
    }

    subscript(name: Name) -> Lane {
        switch name {
        case .landings: landings
        case .read: read
        case .lists: lists
        case .walks: walks
        }
    }

    var inboxes: [Inbox] { Name.allCases.map { self[$0].inbox } }

    /// Ends the connections at once. The requests that wait for them fail.
    func abort() {
        for inbox in inboxes { inbox.abort() }
    }
}
