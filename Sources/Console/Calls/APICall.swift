import HTTPTypes
import Hummingbird
import Kernel
import NIOCore
import Web

/// A call of the API that a page makes, or a person after it with `curl`.
struct APICall: Sendable {
    enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"
    }

    let method: Method
    /// With the query.
    let path: String
    /// The revision that the person saw, for the header `If-Match`.
    var revision: String?
    /// The header `Idempotency-Key`: the same call with it makes nothing again. Nil: none.
    var once: String?
    /// As JSON. Nil: none.
    var body: String?
    /// Whether the page does not show the body, which is long, or nobody's business.
    var hidesBody = false

    /// How a person makes it in a terminal.
    var text: String {
        var parts = ["curl"]
        if method != .get { parts.append("-X \(method.rawValue)") }
        parts.append("\"$KITH\(path)\"")
        parts.append("-H \"Authorization: Bearer $KEY\"")
        if let revision { parts.append("-H 'If-Match: \"\(revision.shellQuoted)\"'") }
        if let once { parts.append("-H 'Idempotency-Key: \(once.shellQuoted)'") }
        if let body {
            parts.append("-H 'Content-Type: application/json'")
            parts.append(hidesBody ? "-d @body.json" : "-d '\(body.shellQuoted)'")
        }
        return parts.joined(separator: " ")
    }
}

extension String {
    /// The text between quotes of a shell.
    fileprivate var shellQuoted: String { replacing("'", with: "'\\''") }
}

/// Makes the path of a call: its segments are encoded, and parameters without a value are left out.
func apiPath(_ segments: String..., query: KeyValuePairs<String, String?> = [:]) -> String {
    let path = segments.map { "/" + PercentEncoding.encode($0) }.joined()
    return path.appending(query: query)
}

extension String {
    func appending(_ path: String, query: KeyValuePairs<String, String?>) -> String {
        (self + path).appending(query: query)
    }

    func appending(query: KeyValuePairs<String, String?>) -> String {
        let pairs = query.compactMap { name, value in
            value.flatMap { $0.isEmpty ? nil : "\(name)=\(PercentEncoding.encode($0))" }
        }
        return pairs.isEmpty ? self : self + (contains("?") ? "&" : "?") + pairs.joined(separator: "&")
    }
}

/// What a call was answered.
struct APIAnswer: Sendable {
    let status: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    /// The answer as JSON. An empty object if it is none.
    var json: JSONTree { (try? JSONTree(bytes, .answer)) ?? JSONTree(.object([]), line: 1) }
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The same for a browser, which keeps it as a file.
    var file: Response {
        var headers: HTTPFields = [.cacheControl: "no-store", .referrerPolicy: "same-origin"]
        for name in [HTTPField.Name.contentType, .contentDisposition] { headers[name] = self.headers[name] }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension JSONBounds {
    /// What the API itself answers is as large as it is.
    fileprivate static let answer = JSONBounds.document
}

/// A call that the API refused.
struct APIProblem: Error {
    let status: Int
    let code: String
    let detail: String
    let field: String?

    init(_ answer: APIAnswer) {
        let json = answer.json
        status = answer.status
        code = json["code"]?.text ?? "\(answer.status)"
        detail = json["detail"]?.text ?? "\(answer.status)"
        field = json["field"]?.text
    }

    /// What the console itself finds missing in a form, in the reader's language.
    static func entry(_ field: String, _ sentence: String) -> APIProblem {
        APIProblem(400, ownCode, sentence, field: field)
    }

    /// The code of what the console itself finds.
    static let ownCode = "entry"

    init(_ status: Int, _ code: String, _ detail: String, field: String? = nil) {
        (self.status, self.code, self.detail, self.field) = (status, code, detail, field)
    }

    /// The same at another field.
    func at(_ field: String?) -> APIProblem { APIProblem(status, code, detail, field: field) }
}

extension JSONTree {
    /// Follows names separated by dots.
    func at(_ path: String) -> JSONTree? {
        var found: JSONTree? = self
        for name in path.split(separator: ".") { found = found?[String(name)] }
        return found
    }

    func text(_ path: String) -> String { at(path)?.text ?? "" }
    func int(_ path: String) -> Int { at(path)?.int ?? 0 }
    func list(_ path: String) -> [JSONTree] { at(path)?.elements ?? [] }
    func texts(_ path: String) -> [String] { list(path).compactMap(\.text) }

    var int: Int? {
        guard case .number(let text) = value else { return nil }
        return Int(text) ?? Double(text).flatMap { Int(exactly: $0.rounded()) }
    }
    var double: Double? { if case .number(let text) = value { Double(text) } else { nil } }
}
