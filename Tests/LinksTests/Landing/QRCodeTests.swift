import Foundation
import Testing

@testable import AppTesting
@testable import Graph
@testable import Links

/// The QR codes, read by an independent decoder.
@Suite struct QRCodeTests {
    let url = "https://kith.example/users/hanako?invitedBy=9fQ%2Fx7%26y"

    @Test func `the same link gives the same bytes`() throws {
        #expect(try QRCode(url).svg() == QRCode(url).svg())
        #expect(try QRCode(url).png(side: 400) == QRCode(url).png(side: 400))
        #expect(try QRCode(url) != QRCode(url + "z"))
    }

    @Test func `error correction is M`() throws {
        // The two highest bits of the format information, 00 for M, masked with 10.
        let code = try QRCode(url)
        #expect(code.isDark(row: 8, column: 0))
        #expect(!code.isDark(row: 8, column: 1))
    }

    @Test func `the symbol is as small as byte mode allows at M`() throws {
        // ISO/IEC 18004 table 7: versions 3, 4 and 40 hold 42, 62 and 2331 bytes.
        #expect(try QRCode(String(repeating: "a", count: 42)).width == 29)
        #expect(try QRCode(String(repeating: "a", count: 43)).width == 33)
        #expect(try QRCode(String(repeating: "a", count: 62)).width == 33)
        #expect(try QRCode(String(repeating: "a", count: 2331)).width == 177)
    }

    @Test func `a text too long for its level gets the highest that holds it`() throws {
        for level in QRCode.Level.allCases {
            #expect(try QRCode(String(repeating: "a", count: 2953), level: level).width == 177)
        }
        #expect(throws: QRCodeError.tooLong(bytes: 2954)) { try QRCode(String(repeating: "a", count: 2954)) }
        #expect(throws: QRCodeError.empty) { try QRCode("") }
    }

    @Test func `the symbol of a short link is at most of version 3, for a domain of 24 letters`() throws {
        let links = InviteLinks(origin: "https://invite.lantern.example.io")
        #expect(links.origin.utf8.count == "https://".utf8.count + 25)
        let code = try #require(Invite.Code("7h2k9m4pqr5t8vwx"))
        #expect(links.scanned(code) == "HTTPS://INVITE.LANTERN.EXAMPLE.IO/7H2K9M4PQR5T8VWX")
        #expect(try QRCode(ScannedLink.marked(links.scanned(code)), level: .M).width <= 29)
    }

    @Test func `four light modules surround the symbol in the SVG`() throws {
        let code = try QRCode(url)
        let side = code.width + 8
        let svg = try code.svg()
        #expect(svg.contains(#"viewBox="0 0 \#(side) \#(side)""#))
        #expect(svg.contains(##"<path fill="#000" d="M4 4h7v1h-7z"##))
        for match in svg.matches(of: /M(\d+) (\d+)h(\d+)v1/) {
            let (x, y, run) = (Int(match.1) ?? 0, Int(match.2) ?? 0, Int(match.3) ?? 0)
            #expect(x >= 4 && x + run <= side - 4 && y >= 4 && y < side - 4)
        }
    }

    @Test func `the path of the SVG draws exactly the dark modules`() throws {
        let code = try QRCode(url)
        var drawn: Set<[Int]> = []
        for match in try code.svg().matches(of: /M(\d+) (\d+)h(\d+)v1/) {
            let (x, y, run) = (Int(match.1) ?? 0, Int(match.2) ?? 0, Int(match.3) ?? 0)
            for column in x..<x + run { drawn.insert([y - 4, column - 4]) }
        }
        for row in 0..<code.width {
            for column in 0..<code.width {
                #expect(drawn.contains([row, column]) == code.isDark(row: row, column: column))
            }
        }
    }

    @Test(arguments: [1, 3, 8]) func `a PNG has the given scale and its size`(scale: Int) throws {
        let code = try QRCode(url)
        let side = (code.width + 8) * scale
        let png = try code.png(side: side)
        #expect(png.prefix(8).elementsEqual([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        #expect(png[16..<20].reduce(0) { $0 << 8 | Int($1) } == side)
        #expect(png[20..<24].reduce(0) { $0 << 8 | Int($1) } == side)
        #expect(Array(png[24...25]) == [8, 0], "8 bits, grey")
    }

    @Test(arguments: [20, 60, 400, 2331]) func `a preview always has the same size, however long the link`(
        length: Int
    )
        throws
    {
        let png = try QRCode(String(repeating: "a", count: length)).png(side: QRCode.previewSide)
        #expect(png[16..<20].reduce(0) { $0 << 8 | Int($1) } == 640)
    }

    @Test(
        .enabled(if: QRDecoder.isInstalled, "needs zbarimg"),
        arguments: [
            "https://kith.example/users/hanako?invitedBy=9fQ%2Fx7%26y", "https://kith.example/K3XM7RTWQ2",
            "https://kith.example/users/a?invitedBy=" + String(repeating: "%E3%81%82", count: 100),
        ])
    func `a camera reads the link back`(url: String) throws {
        let code = try QRCode(url)
        #expect(try QRDecoder.read(code.png(side: (code.width + 8) * 6)) == url)
        #expect(try QRDecoder.read(code.png(side: QRCode.previewSide)) == url)
    }
}
