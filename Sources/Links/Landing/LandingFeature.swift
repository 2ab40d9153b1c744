package import Kernel
import Rollout

extension Feature {
    package static let landing = Feature(
        mistakes: { file in
            (file[AppliedValues.self].map(LandingChanges.mistakes) ?? [])
                + (file[AppliedExperiments.self].map(LandingChanges.mistakes) ?? [])
        })
}
