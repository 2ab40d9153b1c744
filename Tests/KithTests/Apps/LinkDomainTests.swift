import Testing

@testable import Kith

/// Where deep links may stand.
@Suite struct LinkDomainTests {
    @Test(arguments: [
        ("https://go.example.com", "https://go.example.com"),
        ("https://GO.example.com/", "https://go.example.com"),
        ("http://127.0.0.1:8080/l", "http://127.0.0.1:8080/l"),
        ("https://example.com/a/b-c_d~e.f/", "https://example.com/a/b-c_d~e.f"),
        ("https://example.com/usersx", "https://example.com/usersx"),
        ("https://example.com/l/users", "https://example.com/l/users"),
    ])
    func `a domain is an origin, with a path or without`(text: String, domain: String) {
        #expect(LinkDomain(text)?.text == domain)
    }

    @Test(arguments: [
        "", "go.example.com", "ftp://go.example.com", "https://go.example.com/l?x=1",
        "https://go.example.com/#l",
        "https://go.example.com//l", "https://go.example.com/a b", "https://u@go.example.com",
        // Kith's own paths.
        "https://example.com/users", "https://example.com/users/l", "https://example.com/v1",
        "https://example.com/fdl",
        "https://example.com/dev/", "https://example.com/.well-known", "https://example.com/robots.txt",
        "https://example.com/icon.png",
    ])
    func `anything else is none, nor is a path of Kith's own`(text: String) {
        #expect(LinkDomain(text) == nil)
    }
}
