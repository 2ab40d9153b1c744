import Postgres

extension Database {
    /// Returns the metrics of each lane: depth of the pipelines, sizes of the groups, and errors by class of
    /// SQLSTATE.
    package func metricsText() -> String {
        let all = statistics
        let lanes = [
            ("landings", all.landings), ("read", all.read), ("lists", all.lists), ("write", all.write),
            ("walks", all.walks), ("bulk", all.bulk), ("exclusive", all.exclusive),
        ]
        var text = MetricsText()
        func family(
            _ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: (LaneStatistics) -> Int
        ) {
            text.family("kith_database_\(name)", kind, help, by: "lane", lanes.map { ($0, value($1)) })
        }
        family("statements_total", .counter, "Statements sent.") { $0.statements }
        family("waiting", .gauge, "Requests waiting for a connection.") { $0.waiting }
        family("refused_total", .counter, "Requests refused at once because too many were waiting.") {
            $0.refused
        }
        family("retried_total", .counter, "Requests retried after a deadlock or serialization failure.") {
            $0.retried
        }
        family("deadlines_total", .counter, "Requests not answered by their deadline.") { $0.expired }
        family("in_flight", .gauge, "Requests sent but not yet answered: the depth of the pipeline.") {
            $0.inFlight
        }
        family("connections", .gauge, "Connections that are up.") { $0.connectionsUp }
        family("connects_total", .counter, "Connections opened, including the first ones.") { $0.connects }
        family("connect_failures_total", .counter, "Failed attempts to connect.") { $0.connectFailures }
        text.family("kith_database_group_size", .histogram, "Requests sent together in one group.")
        for (lane, statistics) in lanes {
            text.histogram(
                "kith_database_group_size", [("lane", lane)], bounds: LaneStatistics.groupSizeBounds,
                buckets: statistics.groupSizes, sum: statistics.requests)
        }
        text.family("kith_database_errors_total", .counter, "Errors of the server, by class of SQLSTATE.")
        for (lane, statistics) in lanes {
            for (errorClass, count) in statistics.errors.sorted(by: { $0.key < $1.key }) {
                text.sample("kith_database_errors_total", [("lane", lane), ("class", errorClass)], count)
            }
        }
        if let standbys = all.standbys { text.add(standbys) }
        return text.text
    }
}

extension MetricsText {
    /// Adds which reads went to standbys, and how far these are behind.
    fileprivate mutating func add(_ standbys: StandbyStatistics) {
        family(
            "kith_standby_reads_total", .counter,
            "Reads that a standby may answer, by who answered and why.", by: "answer",
            [
                ("standby", standbys.answered), ("primary_fresher", standbys.passed),
                ("primary_after_failure", standbys.failed),
            ])
        family(
            "kith_standby_used", .gauge, "Whether reads go to the standby.", by: "standby",
            standbys.standbys.map { ($0, $1 == nil ? 0 : 1) })
        family(
            "kith_standby_age_seconds", .gauge,
            "How old what the standby shows may be; missing while no read goes there.")
        for case (let name, .some(let age)) in standbys.standbys {
            sample(
                "kith_standby_age_seconds", [("standby", name)],
                Double(age.components.seconds)
                    + Double(age.components.attoseconds) / 1e18)
        }
    }
}
