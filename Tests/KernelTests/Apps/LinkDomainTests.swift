import Testing

@testable import Kernel

/// Where deep links may stand.
@Suite struct LinkDomainTests {
    @Test(arguments: [
        ("https://go.example.com", "https://go.example.com"),
        ("https://GO.example.com/", "https://go.example.com"),
        ("http://127.0.0.1:8080/l", "http://127.0.0.1:8080/l"),
        ("https://example.com/a/b-c_d~e.f/", "https://example.com/a/b-c_d~e.f"),
        ("https://example.com/usersx", "https://example.com/usersx"),
        ("https://example.com/l/users", "https://example.com/l/users"),
        ("https://example.com:443/l", "https://example.com/l"),
    ])
    func `a domain is an origin, with a path or without`(text: String, domain: String) {
        #expect(LinkDomain(text)?.text == domain)
    }

    @Test(arguments: [
        "", "go.example.com", "ftp://go.example.com", "https://go.example.com/l?x=1",
        "https://go.example.com/#l",
        "https://go.example.com//l", "https://go.example.com/a b", "https://u@go.example.com",
    ])
    func `anything else is none`(text: String) {
        #expect(LinkDomain(text) == nil)
    }
}
