import Crypto
import Foundation
import Testing

@testable import Web

@Suite struct TemplatesTests {
    @Test func `the built-in templates parse and share one style and one script`() throws {
        let policy = try Templates().contentSecurityPolicy
        #expect(
            policy.wholeMatch(
                of:
                    /default-src 'none'; style-src 'sha256-[A-Za-z0-9+\/]{43}='; script-src 'sha256-[A-Za-z0-9+\/]{43}='; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'/
            ) != nil)
    }

    @Test func `every value is escaped, even after a combining mark`() throws {
        let templates = try Templates(
            folder: folder(["error.mustache": #"<a title="{{title}}">{{title}}</a>"#]))
        let title = "<\u{301}b \"\u{20E3} '\u{FE0F} &\u{338} >\u{301}"
        let safe = "&lt;\u{301}b &quot;\u{20E3} &#39;\u{FE0F} &amp;\u{338} &gt;\u{301}"
        #expect(templates.render(.error, ["title": title]) == #"<a title="\#(safe)">\#(safe)</a>"#)
    }

    @Test(arguments: [("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"), ("\"", "&quot;"), ("'", "&#39;")])
    func `each character that means something is escaped, be it the only one or not`(
        character: String, entity: String
    ) {
        for (before, after) in [("", ""), ("Ann", "s"), ("花", ""), ("", "\u{301}")] {
            #expect(HTML.escape("\(before)\(character)\(after)") == "\(before)\(entity)\(after)")
        }
        #expect(HTML.escape(character + character + "<") == "\(entity)\(entity)&lt;")
    }

    @Test func `a template inside a value is text`() throws {
        let templates = try Templates(folder: folder(["error.mustache": "{{title}}"]))
        #expect(
            templates.render(.error, ["title": "{{title}} {{{x}}} {{>style}}"])
                == "{{title}} {{{x}}} {{&gt;style}}")
    }

    @Test func `only the files in the folder replace templates`() throws {
        let templates = try Templates(folder: folder(["error.mustache": "gone", ".DS_Store": "x"]))
        #expect(templates.render(.error, [:]) == "gone")
        #expect(templates.render(.landing, [:]) == (try Templates().render(.landing, [:])))
    }

    @Test func `the hashes match the rendered style elements`() throws {
        let templates = try Templates(
            folder: folder([
                "style.mustache": "p > a { color: red }\r\n{{! why (not) }}\r\nb { quotes: \"&\" }\r\n",
                "landing.mustache": "<STYLE media=\"all\">\n  {{>style}}\n</STYLE>\n<style>i{}</style>",
            ]))
        for name in [Templates.Name.landing, .error] {
            let html = templates.render(name, ["title": "T"])
            let styles = html.matches(of: /<style[^>]*>(.*?)<\/style>/.dotMatchesNewlines().ignoresCase())
            #expect(!styles.isEmpty)
            for style in styles {
                let hash = Data(SHA256.hash(data: Data(style.1.utf8))).base64EncodedString()
                #expect(templates.contentSecurityPolicy.contains("'sha256-\(hash)'"), "\(style.1)")
            }
        }
    }

    @Test func `pages without a style forbid every style`() throws {
        let templates = try Templates(
            folder: folder(["landing.mustache": "a", "error.mustache": "b", "deep-link.mustache": "c"]))
        #expect(templates.contentSecurityPolicy.contains("style-src 'none';"))
    }

    @Test(arguments: [
        (
            "landing.mustache", "a\n{{#title}}\nb",
            "KITH_TEMPLATES: landing.mustache: line 2: {{#title}} is not closed: put {{/title}} where the section ends"
        ),
        (
            "landing.mustache", "a\n{{^title}}{{! {{x }}\n{{/name}}",
            "KITH_TEMPLATES: landing.mustache: line 3: {{/name}} stands in the section of line 2: close that first, by {{/title}}"
        ),
        (
            "error.mustache", "\n{{/title}}",
            "KITH_TEMPLATES: error.mustache: line 2: {{/title}} closes no section"
        ),
        ("error.mustache", "{{title", "KITH_TEMPLATES: error.mustache: line 1: {{title has no }} at its end"),
        (
            "error.mustache", "a {{title b\n{{advice}}",
            "KITH_TEMPLATES: error.mustache: line 1: {{title b has no }} at its end"
        ),
        (
            "landing.mustache", "\n\n<p>{{sentense}}</p>",
            "KITH_TEMPLATES: landing.mustache: line 3: {{sentense}} names no value of landing.mustache: did you mean {{sentence}}?"
        ),
        (
            "error.mustache", "{{#offer.s }}{{/offer.s}}",
            "KITH_TEMPLATES: error.mustache: line 1: {{#offer.s}} names no value of error.mustache: did you mean {{#offers}}?"
        ),
        (
            "error.mustache", "{{username}}",
            "KITH_TEMPLATES: error.mustache: line 1: {{username}} names no value of error.mustache: did you mean {{appName}}?"
        ),
        (
            "landing.mustache", "{{{title}}}",
            "KITH_TEMPLATES: landing.mustache: line 1: {{{ is not allowed: every value is escaped"
        ),
        (
            "landing.mustache", "a\n{{{{title}}}}",
            "KITH_TEMPLATES: landing.mustache: line 2: {{{ is not allowed: every value is escaped"
        ),
        (
            "landing.mustache", "{{&title}}",
            "KITH_TEMPLATES: landing.mustache: line 1: {{& is not allowed: every value is escaped"
        ),
        (
            "landing.mustache", "{{=<% %>=}}",
            "KITH_TEMPLATES: landing.mustache: line 1: {{= is not allowed: every value is escaped"
        ),
        (
            "landing.mustache", "{{%CONTENT_TYPE:TEXT}}",
            "KITH_TEMPLATES: landing.mustache: line 1: {{% is not allowed: every value is escaped"
        ),
        (
            "landing.mustache", "{{#uppercased(name)}}{{/uppercased(name)}}",
            "KITH_TEMPLATES: landing.mustache: line 1: {{#uppercased(name)}} is not allowed: functions are not, as values are filled in later"
        ),
        (
            "landing.mustache", "{{> footer }}",
            "KITH_TEMPLATES: landing.mustache: line 1: {{>footer}} is not allowed: only {{>style}} and {{>script}} are, in a page"
        ),
        (
            "deep-link.mustache", "a\n<p>\u{600}{{! {{{title}}} </p>",
            "KITH_TEMPLATES: deep-link.mustache: line 2: U+0600 joins a brace of {{: put a space between them"
        ),
        (
            "error.mustache", "{{title}}\u{301}",
            "KITH_TEMPLATES: error.mustache: line 1: U+0301 joins a brace of }}: put a space between them"
        ),
        (
            "error.mustache", "a\n{{\ntitle}}",
            "KITH_TEMPLATES: error.mustache: line 2: {{ needs its name in the same line"
        ),
        (
            "style.mustache", "{{>style}}",
            "KITH_TEMPLATES: style.mustache: line 1: {{>style}} is not allowed: only {{>style}} and {{>script}} are, in a page"
        ),
        (
            "landing.mustache", "<style>a{color:{{tint}}}</style>",
            "KITH_TEMPLATES: landing.mustache: a <style> cannot contain values"
        ),
        (
            "Landing.mustache", "",
            "KITH_TEMPLATES: Landing.mustache: is neither a template (landing.mustache, error.mustache, deep-link.mustache, style.mustache, script.mustache) nor a language, as ko.json"
        ),
    ])
    func `an error names an invalid template`(file: String, text: String, message: String) throws {
        let folder = try folder([file: text])
        let error = #expect(throws: TemplateMistakes.self) { try Templates(folder: folder) }
        #expect(error?.description == message)
    }

    @Test func `values in a replaced style sheet are refused`() throws {
        let folder = try folder(["style.mustache": "a{color:{{tint}}}"])
        let error = #expect(throws: TemplateMistakes.self) { try Templates(folder: folder) }
        #expect(
            error?.all.map(\.reason) == ["line 1: {{tint}} names no value of style.mustache, which has none"])
    }

    @Test func `the first mistake of every file is named, in the same order each time`() throws {
        let folder = try folder([
            "landing.mustache": "{{sentense}}\n{{{title}}}", "error.mustache": "{{advise}}", "x.txt": "",
            "deep-link.mustache": "<style>a{color:{{title}}}</style>", "style.mustache": "a { color: red }",
        ])
        let error = #expect(throws: TemplateMistakes.self) { try Templates(folder: folder) }
        #expect(
            error?.all.map(\.file) == ["x.txt", "landing.mustache", "error.mustache", "deep-link.mustache"])
        #expect(
            error?.description.split(separator: "\n").allSatisfy { $0.hasPrefix("KITH_TEMPLATES: ") } == true)
    }

    @Test func `sections in sections, spaces in tags and comments of any text are accepted`() throws {
        let text =
            "{{# offers }}\n{{#isFirst}}{{ offer }}{{/isFirst}}{{^isFirst}}-{{/isFirst}}\n{{/ offers}}{{! {{#x}}"
        let templates = try Templates(folder: folder(["error.mustache": text]))
        let offers = [["offer": "a", "isFirst": true], ["offer": "b", "isFirst": false]]
        #expect(templates.render(.error, ["offers": offers]) == "a\n-\n")
    }

    @Test func `a missing folder is refused`() {
        let error = #expect(throws: TemplateMistakes.self) { try Templates(folder: "/nowhere/templates") }
        #expect(error?.all == [TemplateError(file: "/nowhere/templates", reason: "cannot be read")])
    }

    @Test func `bytes that are not UTF-8 are refused`() throws {
        let folder = try folder([:])
        try Data([0x61, 0xFF]).write(to: URL(filePath: folder).appending(path: "style.mustache"))
        let error = #expect(throws: TemplateMistakes.self) { try Templates(folder: folder) }
        #expect(error?.all == [TemplateError(file: "style.mustache", reason: "cannot be read as UTF-8")])
    }

    func folder(_ files: [String: String]) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "kith-templates-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        return folder.path
    }
}
