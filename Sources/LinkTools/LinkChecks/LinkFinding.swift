import Kernel
import Web

/// What `kith check-links` found in a file.
struct LinkFinding: Hashable, Sendable {
    let fault: LinkFault
    let file: AssociationFile
    /// The place in the file, as in `applinks.details[0].components[2]`. Empty for the whole file.
    var place = ""
    /// The line. Nil if the file is not JSON, or has only one line.
    var line: Int?
    /// What is wrong there.
    let what: String
}

/// A kind of finding: a row of docs/check-links.md.
struct LinkFault: Hashable, Sendable {
    /// How bad it is. An error keeps links from opening the app. A warning may do so, or open it for other
    /// links than was meant.
    enum Severity: String, Hashable, Sendable, CaseIterable {
        case error, warning, note
    }

    let name: String
    let severity: Severity
    /// Whose rule it is, and what follows from it.
    let why: String
    let mend: String

    init(_ name: String, _ severity: Severity, _ why: String, mend: String) {
        (self.name, self.severity, self.why, self.mend) = (name, severity, why, mend)
    }

    static let all = answers + rules + apple + android
}

/// A file that is checked.
enum AssociationFile: String, Hashable, Sendable, CaseIterable {
    case apple = "/.well-known/apple-app-site-association"
    /// The place where systems before iOS 9.3 look, and later ones second.
    case oldApple = "/apple-app-site-association"
    case android = "/.well-known/assetlinks.json"
    /// The host itself, which is not a file.
    case host = "/"

    var reader: PathPattern.Reader { self == .android ? .google : .apple }
}

/// Collects the findings of a file.
struct LinkFindings: Sendable {
    let file: AssociationFile
    private(set) var all: [LinkFinding] = []

    init(_ file: AssociationFile) {
        self.file = file
    }

    mutating func add(_ fault: LinkFault, _ what: String, at place: String = "", _ tree: JSONTree? = nil) {
        let line = tree.flatMap { $0.line > 1 ? $0.line : nil }
        all.append(LinkFinding(fault: fault, file: file, place: place, line: line, what: what))
    }

    /// Returns the members of an object. Any other value has none, which is a finding.
    mutating func members(_ tree: JSONTree, at place: String) -> [JSONTree.Member] {
        guard let members = tree.members else {
            wrongType(tree, "an object", at: place)
            return []
        }
        return members
    }

    /// Returns the elements of a list. Any other value has none, which is a finding.
    mutating func elements(_ tree: JSONTree, at place: String) -> [JSONTree] {
        guard let elements = tree.elements else {
            wrongType(tree, "a list", at: place)
            return []
        }
        return elements
    }

    /// Returns the texts of a list. Other elements are findings.
    mutating func texts(_ tree: JSONTree, at place: String) -> [(text: String, tree: JSONTree, place: String)]
    {
        elements(tree, at: place).enumerated().compactMap { index, element in
            let place = "\(place)[\(index)]"
            guard let text = element.text else {
                wrongType(element, "a text", at: place)
                return nil
            }
            return (text, element, place)
        }
    }

    mutating func wrongType(_ tree: JSONTree, _ expected: String, at place: String) {
        let name = place.split(separator: ".").last.map { "`\($0)`" } ?? "the file"
        add(.type, "\(name) is \(tree.kind) and must be \(expected)", at: place, tree)
    }

    /// Reports unknown names, with the one that was probably meant.
    mutating func unknownKeys(_ members: [JSONTree.Member], known: [String], at place: String) {
        for member in members where !known.contains(member.key) {
            let nearest = member.key.nearest(among: known).map { "; `\($0)`?" } ?? ""
            add(.unknownKey, "`\(member.key)` is not known here\(nearest)", at: place, member.value)
        }
    }

    /// Reports names that an object has twice, everywhere in the file.
    mutating func repeatedKeys(_ tree: JSONTree, at place: String = "") {
        var keys: Set<String> = []
        for member in tree.members ?? [] {
            let inner = place.isEmpty ? member.key : "\(place).\(member.key)"
            if !keys.insert(member.key).inserted {
                add(.duplicateKey, "`\(member.key)` is given twice", at: place, member.value)
            }
            repeatedKeys(member.value, at: inner)
        }
        for (index, element) in (tree.elements ?? []).enumerated() {
            repeatedKeys(element, at: "\(place)[\(index)]")
        }
    }
}
