import ArgumentParser
import Foundation
import Kernel
import Web

/// A server whose calls of `/v1/admin` a command makes, with a key.
struct NamedServer: Sendable {
    private let url: URL
    private let key: String

    /// - Parameter keyFile: nil if the key is `KITH_KEY`.
    fileprivate init(_ address: String, keyFile: String?) throws(Failure) {
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host() != nil else {
            throw Failure("--server must be a URL, as in https://join.example.com, not '\(address)'")
        }
        self.url = url.appending(path: "v1/admin")
        var text = ProcessInfo.processInfo.environment["KITH_KEY"] ?? ""
        if let keyFile {
            guard let found = try? String(contentsOfFile: keyFile, encoding: .utf8) else {
                throw Failure("cannot read '\(keyFile)'")
            }
            text = found
        }
        key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard APIKey(key) != nil else {
            throw Failure("--server needs a key, as `kith key create` prints it: set KITH_KEY or --key-file")
        }
    }

    private struct Refusal: Decodable {
        let code: String
        let detail: String
    }

    /// Returns the body of the answer.
    func call(
        _ method: String, _ path: String, _ query: [URLQueryItem] = [],
        headers: [String: String] = [:], body: Data? = nil
    ) async throws -> Data {
        let headers = headers.merging(["Authorization": "Bearer \(key)"]) { given, _ in given }
        var place = url.appending(path: path)
        if !query.isEmpty { place.append(queryItems: query) }
        let fetch = HTTPFetch.live(
            timeout: .seconds(30), mostBytes: 64 << 20, method: method, headers: headers, body: body)
        let answer: HTTPFetch.Answer
        do {
            answer = try await fetch.get(place)
        } catch {
            throw Failure("\(place.absoluteString): \(error)")
        }
        guard (200..<300).contains(answer.status) else {
            let problem = try? JSONDecoder().decode(Refusal.self, from: answer.body)
            let advice =
                problem?.code == "changed_meanwhile" ? "; \(ConfigDatabase.runAgain)" : ""
            throw Failure(
                "the server refuses it (\(answer.status)): \(problem?.detail ?? "no reason is given")\(advice)"
            )
        }
        return answer.body
    }

    /// Reads what a server answers.
    static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            try Date(
                String(from: decoder), strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
        return decoder
    }
}

/// The options that name a server. Without them it is the database of the settings.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Speak to this server, with a key, instead of to the database.", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            "The file of the key for --server; by default the key is KITH_KEY.", valueName: "file"))
    var keyFile: String?

    /// The server that they name.
    func named() throws(Failure) -> NamedServer? {
        guard let server else { return nil }
        return try NamedServer(server, keyFile: keyFile)
    }
}
