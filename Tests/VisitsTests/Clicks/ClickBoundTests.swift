import Testing

@testable import Visits

/// From where on visits are looked for.
struct ClickBoundTests {
    private let start = ContinuousClock.now

    @Test func `a look begins with the first that waited ten seconds ago`() {
        var bound = ClickBound()
        #expect(bound.begin(at: start) == 0)
        bound.found(50, at: start)
        for second in 1..<10 {
            #expect(bound.begin(at: start + .seconds(second)) == 0)
            bound.found(50 + Int64(second), at: start + .seconds(second))
        }
        bound.found(60, at: start + .seconds(10))
        #expect(bound.begin(at: start + .seconds(11)) == 50)
        bound.found(80, at: start + .seconds(20))
        #expect(bound.begin(at: start + .seconds(21)) == 60)
    }

    @Test func `one that waits is never behind the bound, however long it cannot be counted`() {
        var bound = ClickBound()
        for second in 0..<100 {
            _ = bound.begin(at: start + .seconds(second))
            bound.found(50, at: start + .seconds(second))
            #expect(bound.from <= 50)
        }
        bound.found(40, at: start + .seconds(101))
        #expect(bound.from == 40)
        bound.found(60, at: start + .seconds(105))
        #expect(bound.from == 40, "40 was the first less than ten seconds ago")
    }

    @Test func `each minute a look begins anew, and what it finds is looked for until it is gone`() {
        var bound = ClickBound()
        _ = bound.begin(at: start)
        bound.found(500, at: start)
        bound.found(600, at: start + .seconds(10))
        #expect(bound.begin(at: start + .seconds(59)) == 500)
        #expect(bound.begin(at: start + .seconds(60)) == 0)
        bound.found(7, at: start + .seconds(60))
        #expect(bound.begin(at: start + .seconds(61)) == 7)
        bound.found(700, at: start + .seconds(71))
        #expect(bound.begin(at: start + .seconds(72)) == 7)
        bound.found(800, at: start + .seconds(81))
        #expect(bound.begin(at: start + .seconds(82)) == 700)
    }
}
