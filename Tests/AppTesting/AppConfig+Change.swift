@testable import Kernel

extension AppConfig {
    init(_ change: (inout AppConfig) -> Void) {
        self.init()
        change(&self)
    }
}
