import Foundation
package import Web

/// The texts of every language that the pages speak. There are the built-in ones, and the operator's files
/// beside their templates (`KITH_TEMPLATES`), each of which adds a language or replaces one.
package struct LandingLanguages: Sendable {
    package let languages: Languages
    private let texts: [Language: LandingTexts]
    private let standardTexts: LandingTexts

    /// - Throws: ``TemplateMistakes`` for files, ``UnknownLanguageError`` for the standard language.
    package init(standard: String = "en", folder: String? = nil) throws {
        var texts: [Language: LandingTexts] = [:]
        for (name, json) in Self.builtIn { _ = try Self.add(name, Data(json), to: &texts) }
        // `Templates` reports what is wrong with the folder itself.
        let files = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        var (names, mistakes) = ([Language: String](), TemplateMistakes())
        for file in files.sorted() where Templates.isLanguage(file) {
            _ = mistakes.collect(file) {
                guard let folder, let json = FileManager.default.contents(atPath: "\(folder)/\(file)")
                else { throw TemplateError(file: file, reason: "cannot be read") }
                let language = try Self.add(String(file.dropLast(".json".count)), json, to: &texts)
                if let other = names.updateValue(file, forKey: language) {
                    throw TemplateError(
                        file: file, reason: "is of the same language as \(other): remove one of them")
                }
            }
        }
        // Report these mistakes before looking for the standard language, whose file may be among them.
        try mistakes.refuse()
        let all = texts.keys.sorted { $0.tag < $1.tag }
        guard let language = Language(standard), let standardTexts = texts[language] else {
            throw UnknownLanguageError(name: standard, known: all)
        }
        languages = Languages(standard: language, all: all)
        self.texts = texts
        self.standardTexts = standardTexts
    }

    private static func add(
        _ name: String, _ json: Data, to texts: inout [Language: LandingTexts]
    ) throws -> Language {
        guard let language = Language(name) else {
            throw TemplateError(
                file: "\(name).json", reason: "is not named by a language, as ko.json or pt-br.json")
        }
        texts[language] = try LandingTexts(json: json, file: "\(name).json")
        return language
    }

    private static var builtIn: [(String, [UInt8])] {
        [
            ("ar", PackageResources.ar_json), ("en", PackageResources.en_json),
            ("ja", PackageResources.ja_json),
        ]
    }

    /// Returns the texts of one of `languages`.
    subscript(language: Language) -> LandingTexts { texts[language] ?? standardTexts }
}

/// The error that `KITH_LANGUAGE` names no language of the pages.
struct UnknownLanguageError: Error, CustomStringConvertible {
    let name: String
    let known: [Language]

    var description: String {
        let known = known.map(\.tag).joined(separator: ", ")
        return """
            KITH_LANGUAGE: '\(name)' is not allowed: it must be one of \(known), or of a file in KITH_TEMPLATES, as ko \
            for ko.json
            """
    }
}
