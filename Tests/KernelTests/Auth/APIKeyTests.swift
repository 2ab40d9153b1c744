import Foundation
import Testing

@testable import Kernel
@testable import Web

@Suite struct APIKeyTests {
    private let key = APIKey(randomBytes: World.live.randomBytes)

    @Test func `a key reads back as itself`() throws {
        #expect(key.text.wholeMatch(of: /kith_[0-9a-hjkmnp-tv-z]{12}_[0-9a-hjkmnp-tv-z]{32}/) != nil)
        #expect(APIKey(key.text) == key)
        #expect(key.text.contains("_\(key.id)_"))
    }

    @Test func `no two keys are the same`() {
        let keys = (0..<1000).map { _ in APIKey(randomBytes: World.live.randomBytes) }
        #expect(Set(keys.map(\.id)).count == 1000)
        #expect(Set(keys.map { $0.text.suffix(32) }).count == 1000)
    }

    @Test func `every character of the alphabet is equally likely`() {
        var counts: [Character: Int] = [:]
        for byte in UInt8.min ... .max {
            for letter in APIKey(randomBytes: { [UInt8](repeating: byte, count: $0) }).text.suffix(32) {
                counts[letter, default: 0] += 1
            }
        }
        #expect(counts.count == 32)
        #expect(Set(counts.values) == [256])
    }

    @Test func `only the key itself matches its stored hash`() {
        let stored = Array(key.sha256)
        #expect(key.matches(sha256: stored))
        #expect(!APIKey(randomBytes: World.live.randomBytes).matches(sha256: stored))
        #expect(!key.matches(sha256: []))
        #expect(!key.matches(sha256: Array(stored.dropLast())))
        #expect(!key.matches(sha256: stored + [0]))
    }

    @Test(arguments: [
        "", "kith_", "kith__", "kith_000000000000_", "kith_000000000000_0000000000000000000000000000000",
        "kith_000000000000_000000000000000000000000000000000",
        "kith_000000000000_0000000000000000000000000000000u",
        "kith_000000000000_0000000000000000000000000000000A",
        "KITH_000000000000_00000000000000000000000000000000",
        "kith_000000000000_00000000000000000000000000000000 ",
        "kith_000000000000_00000000000000000000000000000000_",
        "kith_00000000000é_00000000000000000000000000000000",
        "kith_000000000000_000000000000000000000000000000\u{0}0",
    ])
    func `a malformed key is not a key`(_ text: String) {
        #expect(APIKey(text) == nil)
    }
}
