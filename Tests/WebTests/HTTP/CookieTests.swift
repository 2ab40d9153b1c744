import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Web

@Suite struct CookieTests {
    @Test(arguments: [
        (["id=a"], "a"), (["other=1; id=a;x"], "a"), (["\tid=a=b"], "a=b"), (["x=1", "id="], ""),
        // A browser lets any site of the domain set these.
        (["\u{2003}id=a"], nil), (["\u{A0}id=a"], nil), (["id\u{2003}=a"], nil), (["ID=a"], nil),
        (["xid=a"], nil),
        (["id=a; id=b"], nil), (["id=a", "id=a"], nil), (["id"], nil), ([], nil),
    ])
    func `a cookie has exactly the name, and is there once`(headers: [String], value: String?) {
        var head = HTTPRequest(method: .get, scheme: "http", authority: "x", path: "/")
        for header in headers { head.headerFields.append(HTTPField(name: .cookie, value: header)) }
        #expect(Request(head: head, body: .init(buffer: ByteBuffer())).cookie("id") == value)
    }
}
