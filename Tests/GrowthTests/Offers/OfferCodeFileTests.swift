import Foundation
import Testing

@testable import Growth

/// What is read of a file of offer codes.
struct OfferCodeFileTests {
    private static let expiry = Date(timeIntervalSince1970: 1_800_000_000)
    private static let url = "https://apps.apple.com/redeem?ctx=offercodes&id=123&code="

    private static func read(_ lines: [String], expiresAt: Date? = expiry) -> [String] {
        let campaign = OfferCampaign(
            key: .init(stored: "spring"), appStoreID: "123", offer: "Spring", environment: .production,
            lowWater: 0)
        var file = OfferCodeFile(campaign, expiresAt: expiresAt)
        return lines.compactMap { line in
            do throws(OfferCodeFile.Refusal) {
                return try file.read(line).map {
                    "\($0.code.text) \(Int($0.expiresAt.timeIntervalSince1970))"
                }
            } catch {
                return "\(error)"
            }
        }
    }

    @Test(arguments: [
        (["ABCD1234"], ["ABCD1234 1800000000"]),
        (["\u{FEFF}ABCD1234\r", "", "EFGH5678\r"], ["ABCD1234 1800000000", "EFGH5678 1800000000"]),
        (["ABCD1234,\(url)ABCD1234"], ["ABCD1234 1800000000"]),
        (["\"ABCD1234\",\"\(url)ABCD1234\""], ["ABCD1234 1800000000"]),
        (["Code", "ABCD1234"], ["ABCD1234 1800000000"]),
        (["Redemption URL", "\(url)ABCD1234"], ["ABCD1234 1800000000"]),
        (["n,Expires At,code", "1,2027-03-31,ABCD1234"], ["ABCD1234 1806451200"]),
        (["code,expires_at", "ABCD1234,2027-03-31T12:00:00Z"], ["ABCD1234 1806494400"]),
        (["ABCD1234,\(url)EFGH5678"], ["otherCode"]),
        (["ABCD1234,\(url.replacing("123", with: "124"))ABCD1234"], ["otherApp"]),
        (["ABCD1234,\(url.replacing("https", with: "http"))ABCD1234"], ["url"]),
        (
            ["ABCD1234,\(url.replacing("apps.apple.com", with: "apps.apple.com.evil.example"))ABCD1234"],
            ["url"]
        ),
        (["AB1", "AB CD", "ABCD-1234", "ＡＢＣＤ"], ["code", "code", "code", "code"]),
        (["code,expires_at", "ABCD1234,soon"], ["expiry"]),
        (["code,expires_at", "ABCD1234,2027-02-30", "ABCD1234,12027-01-01"], ["expiry", "expiry"]),
        (["abcd1234"], ["ABCD1234 1800000000"]),
        (["Values", "ABCD1234"], ["column", "ABCD1234 1800000000"]),
        (["ABCDEFGH", "ABCD1234"], ["column", "ABCD1234 1800000000"]),
        (["ABCDEFGH,\(url)ABCDEFGH"], ["ABCDEFGH 1800000000"]),
        (["ABCDEFGH,\(url)ABCDEFGI"], ["otherCode"]),
        (["Values,Links", "ABCD1234,\(url)ABCD1234"], ["column", "ABCD1234 1800000000"]),
        (["code", "ABCDEFGH"], ["ABCDEFGH 1800000000"]),
    ])
    func `a line has a code, or says why not`(lines: [String], read: [String]) {
        #expect(Self.read(lines) == read)
    }

    @Test func `a line without an expiry is refused if no other is given`() {
        #expect(Self.read(["ABCD1234"], expiresAt: nil) == ["noExpiry"])
    }
}
