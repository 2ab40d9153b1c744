import Foundation
import Pictures

/// The app's icon in the middle of a symbol.
extension QRCode {
    /// Returns the rows and columns of the square that stays light for the icon: at most a fifth of them. In
    /// every block that is less than half of what `H` corrects, and less than 0.6 of what `Q` does.
    ///
    /// It covers nothing of the finders, the timing, the format and the version. In versions 7 to 13 and from
    /// 21 on it covers alignment patterns, but readers find the others.
    static func clearing(in width: Int) -> Range<Int> {
        // The side is odd, as the width is.
        let side = (width / 5 - 1) / 2 * 2 + 1
        return (width - side) / 2..<(width + side) / 2
    }

    /// Pixels along one side of the icon in an SVG.
    private static let iconSide = 128

    /// Returns the icon's element in an SVG. It leaves half a module of the square free around the icon.
    func image(of icon: AppIcon) throws(QRCodeError) -> String {
        guard let png = icon.drawn(side: Self.iconSide).png() else { throw .encoderFailed }
        let square = Self.clearing(in: width)
        let start = "\(square.lowerBound + Self.quietZone).5"
        let side = square.count - 1
        return """
            <image x="\(start)" y="\(start)" width="\(side)" height="\(side)" \
            href="data:image/png;base64,\(Data(png).base64EncodedString())"/>
            """
    }

    /// Returns the symbol in a colour, with its icon.
    /// - Parameters:
    ///   - ink: the colour of the dark modules, `0xRRGGBB`.
    ///   - greys: the symbol without the icon, with as many bytes as pixels.
    ///   - origin: the pixel at which its rows and columns begin.
    ///   - scale: how many pixels a module has.
    func picture(in ink: UInt32, on greys: [UInt8], side: Int, origin: Int, scale: Int) -> Bitmap {
        var pixels = [UInt8](repeating: 255, count: greys.count * 4)
        for pixel in greys.indices where greys[pixel] == 0 {
            for channel in 0..<3 {
                pixels[pixel * 4 + channel] = UInt8(truncatingIfNeeded: ink >> (8 * channel))
            }
        }
        guard let icon else { return Bitmap(width: side, height: side, pixels: pixels) }
        let square = Self.clearing(in: width)
        let margin = scale / 2
        let drawn = icon.drawn(side: max(1, square.count * scale - 2 * margin))
        let corner = origin + square.lowerBound * scale + margin
        for row in 0..<drawn.height {
            let start = 4 * ((corner + row) * side + corner)
            let length = 4 * drawn.width
            pixels.replaceSubrange(
                start..<start + length, with: drawn.pixels[row * length..<(row + 1) * length])
        }
        return Bitmap(width: side, height: side, pixels: pixels)
    }
}
