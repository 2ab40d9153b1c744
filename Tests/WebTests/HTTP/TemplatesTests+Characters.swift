import Foundation
import Testing

@testable import Web

/// The check of templates reads bytes, the library characters, and scalars may join.
extension TemplatesTests {
    /// Of every kind that joins what stands before or behind it, and some that nearly do.
    private static let scalars: [Unicode.Scalar] = [
        // Marks, joiners and selectors, which join what stands before them.
        "\u{301}", "\u{20DD}", "\u{338}", "\u{3099}", "\u{200C}", "\u{200D}", "\u{FE0F}", "\u{1F3FB}",
        "\u{E0061}", "\u{903}", "\u{94D}", "\u{FF9E}",
        // Join what follows.
        "\u{600}", "\u{6DD}", "\u{D4E}", "\u{110BD}", "\u{111C2}",
        // Join only their like.
        "\u{1F1E6}", "\u{1160}", "\u{1F468}",
        // Line ends and spaces.
        "\n", "\r", "\u{B}", "\u{85}", "\u{2028}", "\u{A0}", "\t",
        // Like others, or invisible.
        "\u{212A}", "\u{37E}", "\u{FF5B}", "\u{0}", "\u{200B}", "\u{2060}", "{", "}", "!", "#",
    ]

    /// Lines with more than one tag, of which the library leaves out nothing else.
    private static let texts = [
        "a{{title}}b", "a{{#title}}b{{/title}}c", "a{{! b }}c{{title}}d", "a{{! {{{title}}} b",
        "a{{! {{&title}} b", "a{{! {{> footer }} b", "a{{! {{=<% %>=}} b", "a{{! {{nosuch}} b",
        "a{{! }b}} {{title}} }}c",
    ]

    /// What a template is by its bytes, with the value `<`.
    private static func expected(_ text: String) -> String {
        let tag = /\{\{(?:(!.*?|[#\/]\s*title\s*)|\s*title\s*)\}\}/.dotMatchesNewlines()
            .matchingSemantics(.unicodeScalar)
        return text.replacing(tag) { $0.output.1 == nil ? "&lt;" : "" }
    }

    @Test(arguments: texts)
    func `the library sees the tags that were checked, whatever joins their braces`(text: String) throws {
        let folder = try folder([:])
        let file = URL(filePath: folder).appending(path: "error.mustache")
        let parts = Self.scalars.map { [$0] } + [["\r", "\n"], ["\u{600}", "\u{301}"], ["{", "\u{301}"]]
        var accepted = 0
        for place in 0...text.unicodeScalars.count {
            for part in [[]] + parts {
                var scalars = Array(text.unicodeScalars)
                scalars.insert(contentsOf: part, at: place)
                let written = String(String.UnicodeScalarView(scalars))
                try Data(written.utf8).write(to: file)
                guard let templates = try? Templates([.error], folder: folder) else { continue }
                accepted += 1
                let shown = templates.render(.error, ["title": "<"])
                let expected = Self.expected(written.replacing("\r\n", with: "\n"))
                #expect(
                    Array(shown.utf8) == Array(expected.utf8),
                    "\(part.map { String($0.value, radix: 16) }) at \(place)")
            }
        }
        #expect(accepted > text.unicodeScalars.count)
    }
}
