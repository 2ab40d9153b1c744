import NIOCore
import Testing

@testable import Web

extension PageOutline {
    fileprivate func text(_ value: (Slot) -> String) -> String { String(buffer: filled(value)) }
}

@Suite struct PageOutlineTests {
    private enum Slot: String { case name, age }

    @Test func `slots are filled with escaped values anywhere in the page`() {
        let mark = PageOutline<Slot>.mark
        let outline = PageOutline<Slot>(rendered: "\(mark(.name)) é, \(mark(.age))\(mark(.name))\u{301}.")
        #expect(outline.text { $0 == .name ? "<\u{301}" : "7" } == "&lt;\u{301} é, 7&lt;\u{301}\u{301}.")
    }

    @Test func `a mark inside a value is text`() {
        let outline = PageOutline<Slot>(rendered: "a\(PageOutline<Slot>.mark(.name))b")
        #expect(outline.text { _ in "\u{1}age\u{2}" } == "a\u{1}age\u{2}b")
    }

    @Test func `a page without slots stays as it is`() {
        #expect(PageOutline<Slot>(rendered: "").text { _ in "x" } == "")
        #expect(PageOutline<Slot>(rendered: "ab\n").text { _ in "x" } == "ab\n")
    }
}
