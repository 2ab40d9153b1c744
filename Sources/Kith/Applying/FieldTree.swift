import Kernel

/// The fields of an item as a file has them: a table for each dot in their names.
enum FieldTree {
    case text(String)
    case list([String])
    case table([String: FieldTree])

    init(_ fields: [String: String], isList: (String) -> Bool) {
        self = .table([:])
        for (name, text) in fields {
            let value = isList(name) ? FieldTree.list(text.listed) : .text(text)
            add(value, at: name.split(separator: ".", omittingEmptySubsequences: false)[...])
        }
    }

    private mutating func add(_ value: FieldTree, at path: ArraySlice<Substring>) {
        guard let name = path.first else { return self = value }
        var members: [String: FieldTree] = if case .table(let members) = self { members } else { [:] }
        members[String(name), default: .table([:])].add(value, at: path.dropFirst())
        self = .table(members)
    }
}
