import Counts
import Testing

@testable import Visits

/// By what a visit is counted, on its way through `clicks`.
struct ClickPartsTests {
    @Test(arguments: ["spring", "a=b=c", "\u{301}start", "=\u{301}", "改行なし", "\"\\"])
    func `a value is read as it was added`(value: String) {
        var parts = ClickParts()
        parts.add(.source, "line")
        parts.add(.campaign, value)
        #expect(ClickParts.values(parts.text) == [.source: "line", .campaign: value])
    }

    @Test func `a value with a line break adds no other`() {
        var parts = ClickParts()
        parts.add(.campaign, "a\ncountry=JP\u{2028}via=qr")
        #expect(ClickParts.values(parts.text) == [.campaign: "acountry=JPvia=qr"])
    }
}
