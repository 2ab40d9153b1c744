import HTTPTypes
import Testing

@testable import Kernel
@testable import Kith
@testable import Links
@testable import Web

extension TestApp {
    static let party = "https://example.com/party?id=7"

    /// A server with two domains of deep links, and a key.
    static func runFirebase(
        _ scope: APIKey.Scope = .server, _ test: @Sendable (TestApp, HTTPFields) async throws -> Void
    ) async throws {
        try await run(configure: withLinks) { app in try await test(app, app.keyed(scope)) }
    }

    static func withLinks(_ config: inout Config) {
        withStores(&config)
        config.app.scheme = "myapp"
        config.app.linkDomains = "https://go.example.com,\(origin)/l"
        config.app.linkTargets = "example.com"
    }

    func firebase(_ call: String, _ key: HTTPFields, _ body: Body) async throws -> Answer {
        try await post("/fdl/v1/\(call)", as: nil, headers: key, body)
    }

    /// A long link with these parameters, percent-encoded.
    static func long(
        _ parameters: KeyValuePairs<String, String>, at domain: String = "https://go.example.com"
    )
        -> String
    {
        let pairs = parameters.map { "\($0.key)=\(PercentEncoding.encode($0.value))" }
        return "\(domain)/?\(pairs.joined(separator: "&"))"
    }

    /// What is kept behind a short link.
    func parameters(of link: String, _ key: HTTPFields) async throws -> [String: String] {
        let (domain, code) = try #require(
            LinkDomain.split(link, among: app.front.project.domains), "\(link)")
        let answer = try await get(
            "/v1/links/\(PercentEncoding.encode(code))?domain=\(PercentEncoding.encode(domain.text))",
            headers: key)
        return try #require(answer.json["parameters"] as? [String: String], "\(answer.text)")
    }
}

extension LinkDomain {
    fileprivate static func split(_ link: String, among domains: [LinkDomain]) -> (LinkDomain, String)? {
        (try? WebURL(link)).flatMap { domains.having($0) }.map { ($0, String($1.dropFirst())) }
    }
}

extension TestApp.Answer {
    /// The codes of the warnings, in order.
    var warnings: [String] {
        ((json["warning"] as? [[String: Any]]) ?? []).compactMap { $0["warningCode"] as? String }
    }

    /// Checks that this is an error of Google's form.
    func isFirebaseError(
        _ code: Int, _ status: String, _ message: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(self.status == code, "\(text)", sourceLocation: sourceLocation)
        #expect(self["error.code"] == String(code), "\(text)", sourceLocation: sourceLocation)
        #expect(self["error.status"] == status, "\(text)", sourceLocation: sourceLocation)
        #expect(self["error.message"]?.isEmpty == false, "\(text)", sourceLocation: sourceLocation)
        #expect(
            json.count == 1 && headers[.contentType] == JSON.mediaType, "\(text)",
            sourceLocation: sourceLocation)
        if let message {
            #expect(
                self["error.message"]?.hasPrefix(message) == true, "\(text)", sourceLocation: sourceLocation)
        }
    }
}
