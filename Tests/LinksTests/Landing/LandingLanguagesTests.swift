import Foundation
import Testing

@testable import AppTesting
@testable import Links
@testable import Web

/// An operator's files of languages, beside their templates.
@Suite struct LandingLanguagesTests {
    private func languages(_ files: [String: String]) throws -> LandingLanguages {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-languages-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return try LandingLanguages(folder: folder.path)
    }

    /// The English texts with another locale.
    private func texts(locale: String) throws -> String {
        try RepositoryFile.read("Sources/Links/languages/en.json")
            .replacing("\"en_US\"", with: "\"\(locale)\"")
    }

    @Test(arguments: ["ko_KR", "ko", "fil_PH"]) func `a file adds a language`(locale: String) throws {
        let languages = try languages(["ko.json": texts(locale: locale)])
        #expect(languages[try #require(Language("ko"))](.locale) == locale)
    }

    @Test(arguments: ["ko-KR", "KO", "ko_kr", "korean", "ko_KR.UTF-8", "\\u0022"])
    func `a locale that Open Graph does not know is refused`(locale: String) throws {
        let error = #expect(throws: TemplateMistakes.self) {
            try languages(["ko.json": texts(locale: locale)])
        }
        let reason = "'locale' must be as in ko_KR or ko"
        #expect(error?.all == [TemplateError(file: "ko.json", reason: reason)])
    }

    @Test func `a second file of one language is refused by name`() throws {
        let texts = try texts(locale: "pt_BR")
        let reason = "is of the same language as pt-BR.json: remove one of them"
        let error = #expect(throws: TemplateMistakes.self) {
            try languages(["pt-BR.json": texts, "pt-br.json": texts])
        }
        #expect(error?.all == [TemplateError(file: "pt-br.json", reason: reason)])
    }

    @Test(arguments: ["en", "ja", "ar"], LandingTexts.Key.allCases)
    func `each text of each language may have what is filled in there, and nothing else`(
        language: String, key: LandingTexts.Key
    ) throws {
        let file = Data(try RepositoryFile.read("Sources/Links/languages/\(language).json").utf8)
        var texts = try JSONDecoder().decode([String: String].self, from: file)
        for placeholder in LandingTexts.Placeholder.allCases where key != .locale && key != .direction {
            texts[key.rawValue] = "a{\(placeholder.rawValue)}b"
            let json = try JSONEncoder().encode(texts)
            if key.placeholders.contains(placeholder) {
                #expect(try LandingTexts(json: json, file: "x.json")(key, [placeholder: "-"]) == "a-b")
                continue
            }
            let error = #expect(throws: TemplateError.self) { try LandingTexts(json: json, file: "x.json") }
            #expect(error?.reason.hasPrefix("'\(key)' has {\(placeholder)}, which nothing fills in") == true)
        }
    }

    @Test func `every file with a mistake is named`() throws {
        let error = #expect(throws: TemplateMistakes.self) {
            try languages(["ko.json": "[]", "fr.json": "{}", "de.json": texts(locale: "de")])
        }
        #expect(error?.all.map(\.file) == ["fr.json", "ko.json"])
    }
}
