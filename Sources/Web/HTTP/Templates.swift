import Foundation
import Mustache

/// The mustache templates of the pages, parsed once. An operator's file with the same name replaces a
/// built-in one (`KITH_TEMPLATES`).
package struct Templates: Sendable {
    package enum Name: String, CaseIterable, Sendable {
        case landing
        case error
        /// The page of a deep link, before a store or for a preview.
        case deepLink = "deep-link"
        /// The style sheet, which the others include by `<style>{{>style}}</style>`.
        case style
        /// The script, which the others include by `<script>{{>script}}</script>`.
        case script
        /// The page that shows what each device gets, for `kith dev` only.
        case devices
        /// The page of a short link, for operators.
        case link
        /// The questions that lead visitors of a deep link.
        case flow
        /// The next steps for the person who sets up a server.
        case start
        /// The pages on which people sign in at the console.
        case console

        /// The templates that `KITH_TEMPLATES` can replace.
        package static let replaceable: [Name] = [.landing, .error, .deepLink, .style, .script]

        var fileName: String { "\(rawValue).mustache" }

        fileprivate var builtIn: String {
            switch self {
            case .landing: String(decoding: PackageResources.landing_mustache, as: UTF8.self)
            case .error: String(decoding: PackageResources.error_mustache, as: UTF8.self)
            case .deepLink: String(decoding: PackageResources.deep_link_mustache, as: UTF8.self)
            case .style: String(decoding: PackageResources.style_mustache, as: UTF8.self).minifiedStyle
            case .script:
                String(decoding: PackageResources.script_mustache, as: UTF8.self).replacing(
                    /\n\s+/, with: "\n")
            case .devices: String(decoding: PackageResources.devices_mustache, as: UTF8.self)
            case .link: String(decoding: PackageResources.link_mustache, as: UTF8.self)
            case .flow: String(decoding: PackageResources.flow_mustache, as: UTF8.self)
            case .start: String(decoding: PackageResources.start_mustache, as: UTF8.self)
            case .console: String(decoding: PackageResources.console_mustache, as: UTF8.self)
            }
        }
    }

    /// The `Content-Security-Policy` header for all of these templates.
    package private(set) var contentSecurityPolicy = ""
    private let library: MustacheLibrary
    private let blocks: [(kind: String, content: String)]
    private let submits: Bool

    /// - Parameter names: the templates that this server renders.
    /// - Throws: ``TemplateMistakes``, with the first mistake of each file.
    package init(_ names: [Name] = Name.replaceable, folder: String? = nil) throws {
        var texts = Dictionary(uniqueKeysWithValues: names.map { ($0, $0.builtIn) })
        var mistakes = TemplateMistakes()
        if let folder { texts.merge(Self.read(folder: folder, &mistakes)) { _, file in file } }

        MustacheContentTypes.register(EscapedHTML(), named: "KITH")
        var library = MustacheLibrary()
        for name in names {
            let template = mistakes.collect(name.fileName) { try name.parsed(texts[name] ?? "") }
            if let template { library.register(template, named: name.rawValue) }
        }
        self.library = library
        var blocks: [(kind: String, content: String)] = []
        for name in names {
            let own = mistakes.collect(name.fileName) {
                try name.blocks(in: texts[name] ?? "", library: library)
            }
            blocks += own ?? []
        }
        try mistakes.refuse()
        self.blocks = blocks
        submits = !Set(names).isDisjoint(with: [.devices, .flow, .console])
        allow(pictures: [])
    }

    /// - Parameter pictures: the origins of pictures in pages.
    package mutating func allow(pictures: [String]) {
        contentSecurityPolicy = ContentSecurityPolicy.header(
            styles: blocks.filter { $0.kind == "style" }.map(\.content),
            scripts: blocks.filter { $0.kind == "script" }.map(\.content),
            submits: submits, pictures: pictures)
    }

    /// The templates of the pages that visitors see. Like the following sets, they are parsed when they are
    /// first needed.
    package static let standard = builtIn(Name.replaceable)
    /// The page of a link, for operators.
    package static let link = builtIn([.link])
    /// The questions that lead visitors of a deep link.
    package static let flow = builtIn([.flow])
    /// The page that shows what each device gets.
    package static let devices = builtIn([.devices, .style])
    /// The next steps for the person who sets up a server.
    package static let start = builtIn([.start, .style])
    /// The pages on which people sign in at the console.
    package static let console = builtIn([.console, .style])

    private static func builtIn(_ names: [Name]) -> Templates {
        do { return try Templates(names) } catch { preconditionFailure("\(error)") }
    }

    /// Renders a template. Every `{{value}}` is escaped, and an absent one is empty.
    package func render(_ name: Name, _ values: [String: Any]) -> String {
        library.render(values, withTemplate: name.rawValue) ?? ""
    }

    /// Whether a file beside the templates holds the texts of a language.
    package static func isLanguage(_ file: String) -> Bool { file.hasSuffix(".json") && !file.hasPrefix(".") }

    private static func read(folder: String, _ mistakes: inout TemplateMistakes) -> [Name: String] {
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            mistakes.note(TemplateError(file: folder, reason: "cannot be read"))
            return [:]
        }
        var texts: [Name: String] = [:]
        // Ignore hidden files, which editors and file systems create.
        for file in files.sorted() where !file.hasPrefix(".") && !isLanguage(file) {
            guard let name = Name.replaceable.first(where: { $0.fileName == file }) else {
                let known = Name.replaceable.map(\.fileName).joined(separator: ", ")
                mistakes.note(
                    TemplateError(
                        file: file, reason: "is neither a template (\(known)) nor a language, as ko.json"))
                continue
            }
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)"),
                let text = String(bytes: data, encoding: .utf8)
            else {
                mistakes.note(TemplateError(file: file, reason: "cannot be read as UTF-8"))
                continue
            }
            // A browser normalizes line breaks before it hashes a style.
            texts[name] = text.replacing("\r\n", with: "\n")
        }
        return texts
    }
}

extension String {
    /// A style sheet without the white space that only its readers need. No quoted text in it may hold white
    /// space that matters.
    fileprivate var minifiedStyle: String {
        var (style, isAfterSpace) = ([UInt8](), false)
        let punctuation = Set("{};,".utf8)
        for byte in utf8 {
            if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") {
                isAfterSpace = true
                continue
            }
            if isAfterSpace, let last = style.last, !punctuation.contains(byte), !punctuation.contains(last),
                last != UInt8(ascii: ":")
            {
                style.append(UInt8(ascii: " "))
            }
            if byte == UInt8(ascii: "}"), style.last == UInt8(ascii: ";") { style.removeLast() }
            style.append(byte)
            isAfterSpace = false
        }
        return String(decoding: style, as: UTF8.self)
    }
}

private struct EscapedHTML: MustacheContentType {
    func escapeText(_ text: String) -> String { HTML.escape(text) }
}

/// Why a template is invalid. The server finds it at the start.
package struct TemplateError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let reason: String

    package init(file: String, reason: String) {
        self.file = file
        self.reason = reason
    }

    package var description: String { "KITH_TEMPLATES: \(file): \(reason)" }
}

/// Why templates or languages are invalid: the first mistake of each file.
package struct TemplateMistakes: Error, Equatable, CustomStringConvertible {
    private(set) var all: [TemplateError] = []

    package init() {}

    /// The mistakes, one on each line.
    package var description: String { all.map(\.description).joined(separator: "\n") }

    /// Returns what `work` on a file returns. Nil if it throws; then its mistake is noted.
    package mutating func collect<Value>(_ file: String, _ work: () throws -> Value) -> Value? {
        do {
            return try work()
        } catch {
            note(error as? TemplateError ?? TemplateError(file: file, reason: "cannot be read: \(error)"))
            return nil
        }
    }

    mutating func note(_ mistake: TemplateError) {
        // Further mistakes in a file may only follow from its first one.
        if !all.contains(where: { $0.file == mistake.file }) { all.append(mistake) }
    }

    /// Throws itself if there are any mistakes.
    package func refuse() throws(TemplateMistakes) {
        if !all.isEmpty { throw self }
    }
}

extension Templates.Name {
    fileprivate func parsed(_ text: String) throws -> MustacheTemplate {
        try checkTags(of: text)
        do {
            return try MustacheTemplate(string: "{{%CONTENT_TYPE:KITH}}\n" + text)
        } catch let error as MustacheTemplate.ParserError {
            // The first line of the text was added here.
            let line = error.context.lineNumber - 1
            throw TemplateError(file: fileName, reason: "line \(line): cannot be read: \(error.error)")
        }
    }

    /// Returns the contents of the `<style>` and the `<script>` elements as a browser sees them. The header
    /// has their hashes, so they may not contain values.
    fileprivate func blocks(in text: String, library: MustacheLibrary) throws -> [(
        kind: String, content: String
    )] {
        let elements = /<(style|script)[^>]*>(.*?)<\/\1/.dotMatchesNewlines().ignoresCase()
        return try text.matches(of: elements).map {
            let (kind, content) = ($0.output.1.lowercased(), String($0.output.2))
            guard !content.contains(/{{\s*[^>!\s]/) else {
                throw TemplateError(file: fileName, reason: "a <\(kind)> cannot contain values")
            }
            return (kind, try MustacheTemplate(string: content).render([String: String](), library: library))
        }
    }
}
