import Foundation
import Testing

@testable import Web

@Suite struct Base64URLTests {
    @Test func `encoded bytes of any length decode to themselves`() {
        for length in 0..<200 {
            let bytes = World.live.randomBytes(length)
            #expect(Base64URL.decode(Array(Data(bytes).base64URL.utf8)[...]) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AAAAA", "AA==", "AAA=", "AB", "AAB", "AA A", "AAAA\n", "AA+A", "AA/A", "AAé", "AA\u{0}A",
    ])
    func `another encoding of the same bytes, or an invalid one, is refused`(_ text: String) {
        #expect(Base64URL.decode(Array(text.utf8)[...]) == nil)
    }
}
