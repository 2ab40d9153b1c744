package import Kernel
import Web

/// The platforms of visitors.
extension Click.Platform {
    /// What the browser says that it runs on. A search engine that claims to be a phone is `other`.
    package init(_ agent: UserAgent) {
        switch Device(agent).system {
        case .iOS: self = .ios
        case .android: self = .android
        case .other:
            self = agent.names(["Windows NT", "Macintosh", "X11;", "CrOS "]) ? .desktop : .other
        }
    }

    package init(_ platform: AppPlatform) { self = platform == .ios ? .ios : .android }
}
