/// Checks a JSON object strictly before it is decoded, and refuses what a decoder would accept: unknown and
/// repeated keys, deep nesting, NUL and lone surrogates in strings, a top level that is not an object.
///
/// It refuses an object at its first unknown field, before reading that field's value.
package struct JSONScan {
    /// The paths of the allowed fields. Nil allows any, and then errors name a field only by its key.
    private let allowed: Set<String>?
    private var containers: [Container] = []
    /// The path of the value that is being read.
    private var path = ""
    /// The path of the first number that no `Int` holds, which a decoder does not tell. Nil if there is none.
    private(set) var fraction: String?

    private init(_ allowed: Set<String>?) {
        self.allowed = allowed
    }

    private struct Container {
        let path: String
        /// The keys so far. Nil in an array.
        var keys: Set<String>?
    }
}

extension JSONScan {
    /// Accepts an object with only these fields, given by their paths (`invite.url`, or `metadata.*` for any
    /// field in it). Elements of an array have the array's path. Nil allows any fields.
    @discardableResult
    package static func check<Bytes: RandomAccessCollection<UInt8>>(
        _ bytes: Bytes, fields: Set<String>? = nil, _ bounds: JSONBounds? = nil
    ) throws(JSONScanError) -> JSONScan where Bytes.Index == Int {
        var scan = JSONScan(fields)
        var tokens = JSONTokenizer(bytes, bounds ?? (fields == nil ? .anyFields : .body))
        let isObject = try scan.take(from: &tokens) == .object
        guard isObject else { throw JSONScanError("must be a JSON object") }
        while try scan.take(from: &tokens) != .end {}
        return scan
    }

    private mutating func take<Bytes>(from tokens: inout JSONTokenizer<Bytes>) throws(JSONScanError)
        -> JSONToken
    {
        let token: JSONToken
        do throws(JSONFault) {
            token = try tokens.next()
        } catch {
            throw JSONScanError(error, in: path)
        }
        switch token {
        case .object: containers.append(Container(path: path, keys: []))
        case .array: containers.append(Container(path: path))
        case .name(let key): try enter(key)
        case .endOfObject, .endOfArray:
            containers.removeLast()
            leave()
        case .number(let text):
            if fraction == nil, Int(text) == nil { fraction = path }
            leave()
        case .text, .bool, .null, .end: leave()
        }
        return token
    }

    private mutating func enter(_ key: String) throws(JSONScanError) {
        path = allowed == nil || path.isEmpty ? key : "\(path).\(key)"
        guard containers[containers.count - 1].keys?.insert(key).inserted != false else {
            throw JSONScanError("is given twice", field: path)
        }
        guard let allowed, !allowed.contains(path) else { return }
        guard allowed.contains("\(containers[containers.count - 1].path).*") else {
            let parent = path.dropLast(key.count)
            let known = allowed.filter { $0.hasPrefix(parent) }.map { String($0.dropFirst(parent.count)) }
            let meant = key.near(among: known).map { ", but `\($0)` is" } ?? ""
            throw JSONScanError("is not a field of this call\(meant)", field: path)
        }
    }

    /// Goes back to the surrounding container, because the value is read.
    private mutating func leave() {
        path = containers.last?.path ?? ""
    }
}

/// What is wrong with a JSON object or one of its fields.
package struct JSONScanError: Error, CustomStringConvertible {
    /// A predicate for the object or the field: `is given twice`.
    let reason: String
    let field: String?

    init(_ reason: String, field: String? = nil) {
        self.reason = reason
        self.field = field
    }

    /// - Parameter path: the path of the value that was being read.
    fileprivate init(_ fault: JSONFault, in path: String) {
        switch fault.kind {
        case .grammar(let reason): self.init("is not valid JSON: \(reason)")
        case .bounds(let reason): self.init(reason)
        case .text(let reason): self.init(reason, field: path.isEmpty ? nil : path)
        }
    }

    package var description: String { field.map { "`\($0)` \(reason)" } ?? reason }
}
