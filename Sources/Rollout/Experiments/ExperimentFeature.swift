package import Kernel

extension Feature {
    package static let experiments = Feature(
        tables: [
            Table("exposures", .insert, .update, .delete), Table("conversions", .insert),
            Table("left_out_visits", .insert, .update), Table("experiment_days", .insert),
            Table("experiment_goal_days", .insert),
        ],
        userData: [ExperimentStore.self],
        sections: [ForecastStore<AppliedValues>.self, AppliedExperimentStore.self],
        checks: [.exposures])
}
