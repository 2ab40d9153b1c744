import Foundation
import Testing

@testable import AppTesting
@testable import Rollout

/// How versions compare.
@Suite struct VersionNumberTests {
    @Test(arguments: [
        ("1.9", "<", "1.10"), ("1.2", "=", "1.2.0"), ("3.19", "=", "3.19.0"), ("3.19.0.1", ">", "3.19.0"),
        ("1.0.100000", ">", "1.0.99999"), ("5", "=", "5.0.0.0"), ("01.02", "=", "1.2"), ("000", "=", "0"),
        ("20230228", ">", "20230227.9"), ("2147483648", ">", "2147483647"),
        ("18446744073709551617", ">", "18446744073709551616"),
        ("9999999999999999999999.1", "<", "10000000000000000000000"), ("0.0.0.1", ">", "0"),
        ("1.0", "<", "1.0.0.1"), ("2.0.0", "<", "10.0.0"), ("1.2.3.4", "<", "1.2.3.5"),
    ])
    func `versions compare number by number`(one: String, sign: String, other: String) throws {
        let (first, second) = (try #require(VersionNumber(one)), try #require(VersionNumber(other)))
        #expect((first < second) == (sign == "<"))
        #expect((first > second) == (sign == ">"))
        #expect((first == second) == (sign == "="))
        #expect(Set([first, second]).count == (sign == "=" ? 1 : 2))
    }

    @Test(arguments: [
        "", " ", "v1.0", "V1.0.0", "1.0.0-beta", "1.2.3-4", "1.0+5", "1.", ".1", "1..2", "1.2.3.4.5", " 1.0",
        "1.0 ",
        "１.０", "1,0", "-1", "+1", "1e3", "0x10", "1.0\n", "latest", "1.٢", String(repeating: "1", count: 65),
    ])
    func `all else is no version`(text: String) {
        #expect(VersionNumber(text) == nil)
    }

    @Test(arguments: [
        ("5", "5.0"), ("5.0.0", "5.0"), ("05.10.0.0", "5.10"), ("1.2.3.4", "1.2.3.4"), ("0", "0.0"),
        ("1.0.0.7", "1.0.0.7"),
    ])
    func `equal versions are written alike`(text: String, written: String) {
        #expect(VersionNumber(text)?.description == written)
    }

    @Test(arguments: [("1.2", "1.2.0.1"), ("1.2.3.9", "1.2.3.10"), ("0.0.0.99", "0.0.0.100")])
    func `the successor is the next higher version`(text: String, next: String) {
        #expect(VersionNumber(text)?.successor == VersionNumber(next))
    }

    /// Compares them as one text of digits each: another way than the product's.
    private static func padded(_ text: String) -> String {
        let parts = text.split(separator: ".").map(String.init) + ["", "", ""]
        return parts.prefix(4).map { String(repeating: "0", count: 70 - $0.count) + $0 }.joined()
    }

    private static func random(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 1...4, using: &random)).map { _ in
            switch Int.random(in: 0..<10, using: &random) {
            case 0: String(repeating: "9", count: .random(in: 1...12, using: &random))
            case 1: "1" + String(repeating: "0", count: .random(in: 1...12, using: &random))
            case 2: "00" + String(Int.random(in: 0...12, using: &random))
            default: String(Int.random(in: 0...12, using: &random))
            }
        }.joined(separator: ".")
    }

    @Test func `5,000 generated pairs compare as an oracle says`() throws {
        var random = SeededGenerator()
        for _ in 0..<5_000 {
            let one = Self.random(&random)
            // Often nearly the same.
            let other =
                Bool.random(using: &random)
                ? Self.random(&random) : one + [".0", ".1", ""][.random(in: 0..<3, using: &random)]
            guard other.split(separator: ".").count <= 4 else { continue }
            let (first, second) = (try #require(VersionNumber(one)), try #require(VersionNumber(other)))
            let (left, right) = (Self.padded(one), Self.padded(other))
            #expect((first < second) == (left < right), "\(one) \(other)")
            #expect((first == second) == (left == right), "\(one) \(other)")
            #expect(
                first < first.successor && (second <= first || second >= first.successor), "\(one) \(other)")
            #expect(VersionNumber(first.description) == first)
        }
    }
}
