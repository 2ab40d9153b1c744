import Testing

@testable import AppTesting
@testable import Web

@Suite struct LanguageTests {
    private let pages = Languages(standard: .en, all: [.en, .ja])

    @Test(
        arguments: [
            (nil, .en), ("", .en), ("ja", .ja), ("en", .en), ("JA", .ja), ("ja-JP", .ja), ("en-GB", .en),
            ("ja,en-US;q=0.9,en;q=0.8", .ja), ("en-US,en;q=0.9,ja;q=0.8", .en),
            ("fr", .en), ("fr, ja;q=0.1", .ja), ("fr-CH, fr;q=0.9, *;q=0.5", .en),
            // Among equals the first one named wins; if none is named, the default does.
            ("ja, en", .ja), ("en, ja", .en), ("*", .en), ("fr, *", .en), ("*, ja;q=0.5", .en),
            ("ja;q=0.5, *;q=0.1", .ja),
            // Zero excludes a language.
            ("en;q=0, *", .ja), ("en;q=0", .en), ("ja;q=0, *", .en), ("ja;q=0", .en), ("*;q=0", .en),
            ("ja;q=0.000, fr", .en),
            ("en-US;q=0, en;q=0.5, ja;q=0.4", .en),
            // Qualities.
            ("en;q=0.8, ja;q=0.9", .ja), ("en;q=0.123,ja;q=0.124", .ja), ("ja;q=1.000, en", .ja),
            ("en;Q=0.5, ja", .ja),
            ("en;q=0., ja;q=0.1", .ja), (" ja\t;\tq=0.7 , en ; q=0.6", .ja),
            // Unreadable entries are ignored.
            ("ja;q=1.001", .en), ("ja;q=2", .en), ("ja;q=-1", .en), ("ja;q=abc", .en), ("ja;q=0.1234", .en),
            ("ja;q=", .en), ("ja;x=1", .en), ("ja;q=1;q=1", .en), ("ja_JP", .en), ("ja-", .en), ("-", .en),
            ("*-JP", .en),
            ("日本語", .en), ("ja\u{0}", .en), (",,;,", .en), (",ja,", .ja), ("ja;q=x, en;q=0.1", .en),
            ("en;q=x, ja;q=0.1", .ja),
            ("japanese", .en), ("j", .en), ("ja-Jpan-JP-x-osaka", .ja), ("abcdefghi, ja;q=0.2", .ja),
        ] as [(String?, Language)])
    func `the header chooses the language`(header: String?, language: Language) {
        #expect(pages.chosen(nil, acceptLanguage: header) == language)
    }

    @Test func `only the beginning of a header of a thousand parts is read`() {
        let header = String(repeating: "fr,", count: 1000) + "ja"
        #expect(pages.chosen(nil, acceptLanguage: header) == .en)
    }

    @Test(
        arguments: [
            ("ja", .ja), ("JA-jp", .ja), ("ja_JP", .ja), ("fr", .en), ("", .en), ("日本語", .en), ("ja-", .en),
            (String(repeating: "ja-", count: 5000), .en),
        ] as [(String, Language)])
    func `the query chooses the language before the header does, if the pages speak it`(
        wish: String, language: Language
    ) {
        #expect(pages.chosen(wish, acceptLanguage: "en") == language)
        #expect(pages.chosen(wish, acceptLanguage: nil) == language)
    }

    @Test func `a fetcher that names no language gets the operator's`() {
        let japanese = Languages(standard: .ja, all: [.en, .ja])
        #expect(japanese.chosen(nil, acceptLanguage: nil) == .ja)
        #expect(japanese.chosen(nil, acceptLanguage: "fr") == .ja)
        #expect(japanese.chosen(nil, acceptLanguage: "*") == .ja)
        #expect(japanese.chosen(nil, acceptLanguage: "en") == .en)
    }

    @Test(arguments: [
        ("pt-BR", "pt-br"), ("pt", "en"), ("pt-PT", "en"), ("zh-Hant-TW", "zh-hant"), ("zh-TW", "zh-hant"),
        ("zh", "zh"), ("zh-CN", "zh"), ("zh-HK", "zh-hant"), ("zh-Hans", "zh"), ("zh-yue", "zh"),
    ])
    func `a longer name of a language finds the nearest file`(asked: String, language: String) {
        let known = ["en", "pt-br", "zh", "zh-hant"].compactMap { Language($0) }
        #expect(Languages(standard: .en, all: known).chosen(nil, acceptLanguage: asked).tag == language)
    }

    @Test(arguments: [
        ("in", "id"), ("in-ID", "id-id"), ("iw", "he"), ("ji", "yi"), ("no", "nb"), ("no-NO", "nb-no"),
        ("nb", "nb"),
        ("nn", "nn"), ("tl", "fil"), ("mo", "ro"), ("zh-CN", "zh-hans"), ("zh-Hans-CN", "zh-hans"),
        ("zh-SG", "zh-hans-sg"),
        ("zh-Hans", "zh-hans"), ("zh-TW", "zh-hant"), ("zh-Hant-TW", "zh-hant"), ("zh-HK", "zh-hant-hk"),
        ("zh-Hant-HK", "zh-hant-hk"), ("zh-cmn-Hans-CN", "zh-hans"), ("cmn-Hant", "zh-hant"),
        ("zh-Hans-TW", "zh-hans-tw"),
        ("zh", "zh"), ("zh-Latn", "zh-latn"), ("en-US", "en-us"), ("inh", "inh"), ("ja", "ja"),
    ])
    func `old and shorter names of a language are the same one`(given: String, tag: String) {
        #expect(Language(given)?.tag == tag)
    }

    @Test(arguments: [
        ("in", "id"), ("id", "in"), ("no", "nb"), ("zh-CN", "zh-hans"), ("zh", "zh-CN"), ("zh-MO", "zh-TW"),
    ])
    func `a visitor gets the file of their language, by whichever name it goes`(asked: String, file: String)
        throws
    {
        let language = try #require(Language(file))
        let pages = Languages(standard: .en, all: [.en, language])
        #expect(pages.chosen(nil, acceptLanguage: "\(asked),en;q=0.5") == language)
        #expect(pages.chosen(asked.replacing("-", with: "_"), acceptLanguage: nil) == language)
    }
}
