import Foundation
import Kernel
import Web

extension AskingApp {
    /// The parameters of all calls that ask for an app.
    package static let parameters = ["platform", "app", "version", "build", "os", "language", "country"]

    /// Reads `?platform&app&version&build&os&language&country&installationId`. A version, build, system,
    /// language or country that cannot be read counts as not given, since phones send odd ones. Throws a 400
    /// for anything else that is wrong.
    /// - Parameter seen: the country from which a proxy sees the call come. It counts if the app gives none.
    init(_ query: Query, country seen: String? = nil, at: Date) throws(Problem) {
        self.init(platform: try .checked(query.value("platform")), at: at)
        app = try query.value("app")
        if app?.isAppID == false {
            throw .invalid("app", "must be a bundle id or package, as in com.example.app")
        }
        version = try query.value("version").flatMap { VersionNumber($0) }
        build = try query.value("build").flatMap { VersionNumber($0) }
        system = try query.value("os").flatMap { VersionNumber($0) }
        language = try query.language()
        country = try query.country() ?? seen
        id = try query.value("installationId")
        if id?.isOneLine(ofAtMost: 128) == false {
            throw .invalid("installationId", "must have 1 to 128 characters, without control characters")
        }
    }
}

extension Query {
    /// Reads a tag, or what systems call a locale: `ja-JP`, `ja_JP`, `en_US@rg=jpzzzz`.
    fileprivate func language() throws(Problem) -> Language? {
        guard let text = try value("language") else { return nil }
        let ends: Set<Character> = ["@", ".", "#"]
        return Language(
            spoken: text.prefix { !ends.contains($0) }.split(separator: "_").joined(separator: "-"))
    }

    /// Reads two letters. Some systems name a region of the world instead, which is not a country.
    fileprivate func country() throws(Problem) -> String? {
        guard let text = try value("country") else { return nil }
        let isCountry = text.utf8.count == 2 && text.utf8.allSatisfy(\.isASCIILetter)
        return isCountry ? text.uppercased() : nil
    }
}
