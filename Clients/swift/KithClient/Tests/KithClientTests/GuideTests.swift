import Foundation
import XCTest

/// Holds the code in documents to code that compiles.
final class GuideTests: XCTestCase {
    func testTheGuidesCodeIsCompiled() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let code = try String(contentsOf: here.appendingPathComponent("Guide.swift"), encoding: .utf8)
        for (document, least) in [("../../../../../docs/from-firebase.md", 6), ("../../README.md", 4)] {
            let guide = try String(
                contentsOf: here.appendingPathComponent(document).standardized, encoding: .utf8)
            let blocks = guide.components(separatedBy: "```swift\n").dropFirst().map {
                $0.components(separatedBy: "```")[0]
            }
            XCTAssertGreaterThanOrEqual(blocks.count, least, document)
            for block in blocks { XCTAssertTrue(code.contains(block), "not in Guide.swift:\n\(block)") }
        }
    }
}
