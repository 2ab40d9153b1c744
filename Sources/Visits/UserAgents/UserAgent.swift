import Foundation
package import Kernel
import Web

/// The beginning of a `User-Agent` header, in which products are looked for by parts of their names.
package struct UserAgent: Sendable {
    package let header: String
    /// Whether it is a program that reads pages by itself: it fetches previews, searches, or watches. It gets
    /// pages with their tags, and is not a visitor. A client that does not call itself a browser is a
    /// program.
    package let isProgram: Bool

    /// - Parameter header: its first 512 bytes are read.
    package init(_ header: String?) {
        var header = header ?? ""
        if header.utf8.count > 512 { header = String(decoding: header.utf8.prefix(512), as: UTF8.self) }
        self.header = header
        isProgram = Self.isProgram(header)
    }

    /// Whether it is an iPad that asks for sites of computers. It calls itself a Mac, but no Mac has these
    /// marks.
    package var isIPadAsMac: Bool {
        names(["Macintosh"]) && names([" Mobile/", "CriOS/", "FxiOS/", "EdgiOS/"])
    }

    /// Whether it may be an iPad that calls itself a Mac. It has the engine of both, and is not another
    /// browser.
    package var mayBeIPad: Bool {
        names(["Macintosh"]) && names(["AppleWebKit/", "Safari/"]) && !names(["Chrome/", "Firefox/"])
            && !isIPadAsMac
    }

    /// Whether it is a browser of its own. The views in which apps show pages name none, unless they add a
    /// name.
    package var isBrowserOfIOS: Bool {
        names(["Safari/", "CriOS/", "FxiOS/", "EdgiOS/", "OPT/", "OPiOS/", "DuckDuckGo/"])
    }

    /// Whether it names one of the marks. A page looks for some forty marks, and `strstr` takes a tenth of
    /// the time of comparing in Swift.
    package func names(_ marks: [StaticString]) -> Bool { Self.names(marks, in: header) }

    private static func names(_ marks: [StaticString], in header: String) -> Bool {
        header.withCString { header in marks.contains { strstr(header, $0.cString) != nil } }
    }

    /// The version of iOS. Safari names its own version, which since 26 is the system's, while what the
    /// header calls the system's stays at 18.
    package var iOSVersion: SystemVersion? {
        if let safari = version(behind: "Version/"), safari.major >= 26 { return safari }
        guard let system = version(behind: " OS ") else { return nil }
        // In a browser inside another app, a system from 26 on looks like 18.6 or 18.7.
        let isFrozen = system.major == 18 && (6...7).contains(system.minor) && !names(["Version/"])
        return isFrozen ? nil : system
    }

    /// The version of Android. Chrome says 10 on every system
    /// (https://www.chromium.org/updates/ua-reduction/); browsers inside apps, and Firefox, tell the true
    /// one.
    package var androidVersion: SystemVersion? {
        names(["Android 10; K)"]) ? nil : version(behind: "Android ")
    }

    /// Returns the one or two numbers behind the first occurrence of the mark, as in `18_6` or `8.0`.
    private func version(behind mark: StaticString) -> SystemVersion? {
        header.withCString { header in
            guard let place = strstr(header, mark.cString) else { return nil }
            var rest = UnsafePointer(place) + mark.utf8CodeUnitCount
            func number() -> Int? {
                var value: Int?
                while value ?? 0 < 1000, UInt8(truncatingIfNeeded: rest.pointee).isASCIIDigit {
                    value = (value ?? 0) * 10 + Int(rest.pointee) - 48
                    rest += 1
                }
                return value
            }
            guard let major = number() else { return nil }
            guard rest.pointee == 46 || rest.pointee == 95 else { return SystemVersion(major) }
            rest += 1
            return SystemVersion(major, number() ?? 0)
        }
    }
}

extension StaticString {
    /// The text as a C string. The compiler ends it with a zero byte.
    var cString: UnsafePointer<CChar> {
        UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
