package import Kernel
import Web

/// The device that opens a page, as far as its `User-Agent` tells. An iPad mostly calls itself a Mac.
package struct Device: Hashable, Sendable {
    package var system: System
    /// The app whose own browser shows the page. Nil for an ordinary browser.
    package var inAppBrowser: InAppBrowser?
    /// The version of the system. Nil if it cannot be told, or nobody asked.
    package var version: SystemVersion?

    package enum System: CaseIterable, Hashable, Sendable {
        case iOS, android
        /// Computers, iPads that call themselves one, and programs.
        case other
    }

    /// Browsers inside apps, which seldom open other apps. Telegram's, on iPhones, cannot be told from
    /// Safari.
    package enum InAppBrowser: CaseIterable, Hashable, Sendable {
        case line, kakaoTalk, instagram, threads, weChat
        case another
    }

    package static let unknown = Device(system: .other)

    package init(system: System, inAppBrowser: InAppBrowser? = nil, version: SystemVersion? = nil) {
        (self.system, self.inAppBrowser, self.version) = (system, inAppBrowser, version)
    }

    package init(_ agent: UserAgent) {
        // Search engines claim to be phones.
        if agent.isProgram {
            self = .unknown
        } else if agent.names(["iPhone", "iPad", "iPod"]) || agent.isIPadAsMac {
            self.init(
                system: .iOS, inAppBrowser: InAppBrowser(agent) ?? (agent.isBrowserOfIOS ? nil : .another))
        } else if agent.names(["Android"]), !agent.names(["KAIOS"]) {
            self.init(system: .android, inAppBrowser: InAppBrowser(agent))
        } else {
            self = .unknown
        }
    }
}

extension Device.InAppBrowser {
    /// Its name in numbers.
    package var name: String {
        switch self {
        case .line: "line"
        case .kakaoTalk: "kakaotalk"
        case .instagram: "instagram"
        case .threads: "threads"
        case .weChat: "wechat"
        case .another: "another"
        }
    }

    /// The marks of each browser. Threads names Instagram too, and newer browsers of Meta and TikTok name
    /// Safari.
    private static let marks: [(Self, [StaticString])] = [
        (.line, [" Line/"]), (.kakaoTalk, ["KAKAOTALK"]), (.threads, ["Barcelona "]),
        (.instagram, ["Instagram "]), (.weChat, ["MicroMessenger/"]),
        (
            .another,
            [
                "FBAN/", "FB_IAB", "MetaIAB", "musical_ly", "BytedanceWebview", "Twitter for ",
                "[LinkedInApp]", "Snapchat/", "[WAiOS/", "[WA4A/", "; wv)", "Weibo", " QQ/", "DaumApps",
                "YJApp",
                "trill_", "NAVER(",
            ]
        ),
    ]

    fileprivate init?(_ agent: UserAgent) {
        guard let found = Self.marks.first(where: { agent.names($0.1) }) else { return nil }
        self = found.0
    }
}

extension UserAgent {
    /// Returns the system's version. Nil if it cannot be told.
    package func version(of system: Device.System) -> SystemVersion? {
        switch system {
        case .iOS: iOSVersion
        case .android: androidVersion
        case .other: nil
        }
    }
}
