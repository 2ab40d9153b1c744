/// The vocabulary of `PipelineState`.
extension PipelineState {
    /// One caller's request in a group.
    struct Member {
        enum Kind {
            case read, single, batch, script
            /// A script of one COPY FROM STDIN.
            case copy

            /// Whether it is sent by the simple protocol, outside of pipeline mode.
            var isScript: Bool { self == .script || self == .copy }
        }

        let kind: Kind
        let statements: [Statement]
        /// Whether its end can commit. A statement inside an open transaction cannot.
        var commits = true
        var mayReprepare = true
        var maySurviveLoss = true
        var isSettled = false
        var isStale = false

        init(_ kind: Kind, _ statements: [Statement], commits: Bool = true) {
            self.kind = kind
            self.statements = statements
            self.commits = commits && kind != .read
        }
    }

    /// One message, or group of messages, that the server answers once.
    enum Step {
        case prepare(String, _ member: Int, _ index: Int)
        /// Runs a prepared statement or, without a name, the text itself.
        case run(String?, _ member: Int, _ index: Int)
        case begin(_ member: Int)
        case commit(_ member: Int)
        case script(_ member: Int)
        /// A statement of the connection itself.
        ///
        /// If a vital one fails, the session is useless.
        case service(Statement, isVital: Bool)
        case sync(upTo: Int)

        var isService: Bool { if case .service = self { true } else { false } }
    }

    enum Answer {
        case done(tag: String)
        case failed(isStalePlan: Bool)
        /// The statement did not run, because of an error before it.
        case skipped
        /// The server waits for the data of a COPY.
        case copying
        case synced(Transaction)
    }

    enum Transaction { case idle, open, failed }

    enum Action: Equatable {
        /// The current result answers the member.
        case deliver(Int)
        /// The current result is one of several for the member.
        case keep(Int)
        /// The member's kept results answer it.
        case finish(Int)
        /// The current result is the member's error.
        case refuse(Int, index: Int?)
        case rolledBack(Int)
        /// Nothing of the request took effect. It runs again first, with a Sync of its own.
        case rerun(Int)
        case lost(Int, mayHaveCommitted: Bool)
        case sessionUseless
    }
}
