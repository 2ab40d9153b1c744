import Foundation
import Testing

@testable import AppTesting
@testable import Links
@testable import Pictures

/// Cards of names in many scripts, and of names that nobody has.
@Suite struct CardDrawingTests {
    private static let names = [
        "Hana Sato", "花子", "佐藤 花子さん🌸", "한국어 이름", "محمد عبد الله", "שלום עולם", "Nguyễn Thị Hằng", "Ọlúwaṣeun",
        "กนกวรรณ", "हिन्दी नाम", "தமிழ்", "Ελένη", "Пётр", "ქართული", "👩‍👩‍👧 🇯🇵 👍🏽 1️⃣", "i̇ ß Æ ﬃ", "@alice_liddell",
    ]
    /// What a user or an import may bring.
    private static let hostile = [
        "", " ", "\n\r\t", "\u{0}\u{7}\u{1B}", "\u{202E}txet desrever", "\u{2066}\u{2066}\u{2066}a",
        "Z" + String(repeating: "\u{300}\u{301}\u{35F}\u{488}", count: 200), "\u{E000}\u{F8FF}\u{10FFFD}",
        "\u{FFFE}\u{FFFF}\u{378}", "\u{FFFD}", String(repeating: "W", count: 5000),
        String(repeating: "花", count: 5000),
        String(repeating: "𒐫", count: 100), String(repeating: "﷽", count: 100),
        String(repeating: "a\u{2028}", count: 50),
        "<b>&amp;</b>%s%n", "\u{1F1E6}\u{200D}\u{FE0F}\u{20E3}", String(repeating: "\u{AD}", count: 300),
        String(repeating: "👨‍👩‍👧‍👦", count: 60), "꧅꧅꧅꧅꧅꧅꧅꧅꧅꧅",
    ]

    @Test(arguments: names + hostile)
    func `every name gives a JPEG of the right size that is small enough`(name: String) throws {
        let drawing = CardDrawing(style: CardStyle())
        let bytes = try #require(drawing.jpeg(of: Card.named(name, language: "ja"), face: nil))
        #expect(bytes.count <= 300_000)
        let picture = try #require(Bitmap(jpeg: bytes, maxPixels: 1_000_000, keepingSide: 2000))
        #expect(picture.width == 1200 && picture.height == 630)
    }

    @Test(.enabled(if: Fonts.missingPackages().isEmpty, "needs the fonts"), arguments: names)
    func `there is a glyph for every character`(name: String) {
        let fonts = Fonts()
        for language in ["en", "ja", "ar"] {
            for isBold in [false, true] {
                let style = Fonts.Style(size: 64, isBold: isBold, lines: 2, width: 600)
                let text = fonts.text(name.drawable(), style, language)
                #expect(text.unknownGlyphs == 0)
                #expect(text.lines <= 2)
            }
        }
    }

    @Test(.enabled(if: Fonts.missingPackages().isEmpty, "needs the fonts"))
    func `the language decides the form of Han characters`() throws {
        let pictures = try ["ja", "zh-hans", "zh-hant"].map {
            try #require(CardDrawing(style: CardStyle()).jpeg(of: Card.named("直骨", language: $0), face: nil))
        }
        #expect(Set(pictures).count == 3)
    }

    @Test func `of a text only what can be drawn remains`() {
        #expect("\u{202E}a\u{2066}b\nc\u{0}\u{E000}".drawable() == "ab c")
        #expect("👩‍👩‍👧 a\u{200C}b".drawable() == "👩‍👩‍👧 a\u{200C}b")
        #expect(("e" + String(repeating: "\u{301}", count: 9)).drawable() == "e\u{301}\u{301}\u{301}")
        #expect(String(repeating: "a", count: 300).drawable().count == 200)
    }

    @Test func `text stands out from every pair of colours`() {
        for colours in CardStyle.Colours.tints {
            for colour in [colours.start, colours.end] {
                #expect(Colour.ink(on: colour.luminance) == .white)
                #expect(1.05 / (colour.luminance + 0.05) >= 3)
            }
        }
        #expect(Colour.ink(on: Colour(0xFFD54A).luminance) == .dark)
    }

    @Test func `the same card gives the same bytes, another one others`() {
        let style = CardStyle()
        let bytes = CardDrawing(style: style).jpeg(of: Card.named("Hana"), face: nil)
        #expect(bytes == CardDrawing(style: style).jpeg(of: Card.named("Hana"), face: nil))
        #expect(bytes != CardDrawing(style: style).jpeg(of: Card.named("Hano"), face: nil))
        let branded = CardStyle(colours: .init(0xFF0000, 0x00FF00))
        #expect(bytes != CardDrawing(style: branded).jpeg(of: Card.named("Hana"), face: nil))
        #expect(Card.named("Hana").content(in: style) != Card.named("Hana").content(in: branded))
        #expect(Card.named("Hana").content(in: style) == Card.named("Hana").content(in: CardStyle()))
    }

    @Test func `a background is a picture of the card's size`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "kith-background-\(UUID()).jpg")
        defer { try? FileManager.default.removeItem(at: file) }
        let jpeg = try #require(CardDrawing(style: CardStyle()).jpeg(of: Card.named("Hana"), face: nil))
        try Data(jpeg).write(to: file)
        var config = CardConfig()
        config.background = file.path
        #expect(try CardStyle(config, icon: nil).background?.width == 1200)
        try Data(QRCode("x").png(side: 300)).write(to: file)
        #expect(throws: CardStyleError.notABackground(file: file.path)) { try CardStyle(config, icon: nil) }
    }

    @Test func `the busiest background still gives 300 KB`() throws {
        var generator = SeededGenerator()
        let noise = (0..<1200 * 630 * 4).map {
            $0 % 4 == 3 ? 255 : UInt8.random(in: 0...255, using: &generator)
        }
        let style = CardStyle(background: Bitmap(width: 1200, height: 630, pixels: noise))
        let bytes = try #require(CardDrawing(style: style).jpeg(of: Card.named("Hana"), face: nil))
        #expect(bytes.count <= 300_000)
    }
}
