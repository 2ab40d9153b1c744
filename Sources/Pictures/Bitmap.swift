import CPNG
import CTurboJPEG

/// A decoded picture, row by row. Each pixel has four bytes: blue, green, red and alpha. The colours are
/// multiplied by alpha, as cairo has them.
package struct Bitmap: Sendable {
    package let width: Int
    package let height: Int
    package let pixels: [UInt8]

    package init(width: Int, height: Int, pixels: [UInt8]) {
        self.width = width
        self.height = height
        self.pixels = pixels
    }
}

extension Bitmap {
    /// Nil if it is neither a JPEG nor a PNG, or has too many pixels.
    package init?(_ bytes: [UInt8], maxPixels: Int, keepingSide least: Int = .max) {
        if bytes.starts(with: [0xFF, 0xD8]) {
            self.init(jpeg: bytes, maxPixels: maxPixels, keepingSide: least)
        } else {
            self.init(png: bytes, maxPixels: maxPixels)
        }
    }

    /// Nil if it is not a PNG, or has too many pixels. It checks their number before it takes memory for
    /// them.
    init?(png bytes: [UInt8], maxPixels: Int) {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        // The library keeps the address of the bytes between the two calls.
        let pixels = bytes.withUnsafeBytes { bytes -> [UInt8]? in
            guard png_image_begin_read_from_memory(&image, bytes.baseAddress, bytes.count) != 0,
                image.width > 0, image.height > 0, Int(image.width) <= maxPixels / Int(image.height)
            else { return nil }
            image.format = 0x13  // PNG_FORMAT_BGRA, a macro that Swift does not import
            var pixels = [UInt8](repeating: 0, count: Int(image.width) * Int(image.height) * 4)
            return png_image_finish_read(&image, nil, &pixels, 0, nil) != 0 ? pixels : nil
        }
        guard var pixels else { return nil }
        Self.multiplyByAlpha(&pixels)
        (width, height, self.pixels) = (Int(image.width), Int(image.height), pixels)
    }

    /// Returns the size without decoding more. Nil if it is not a PNG.
    static func size(png bytes: [UInt8]) -> (width: Int, height: Int)? {
        var image = png_image()
        image.version = png_uint_32(PNG_IMAGE_VERSION)
        defer { png_image_free(&image) }
        let isPNG = bytes.withUnsafeBytes {
            png_image_begin_read_from_memory(&image, $0.baseAddress, $0.count) != 0
        }
        return isPNG ? (Int(image.width), Int(image.height)) : nil
    }

    private static func multiplyByAlpha(_ pixels: inout [UInt8]) {
        for start in stride(from: 0, to: pixels.count, by: 4) where pixels[start + 3] < 255 {
            let alpha = UInt32(pixels[start + 3])
            for channel in start..<start + 3 {
                pixels[channel] = UInt8((UInt32(pixels[channel]) * alpha + 127) / 255)
            }
        }
    }
}

extension Bitmap {
    /// The limit for pixels times scans. Each scan of a JPEG passes over all pixels again, some 1 ms for each
    /// million, however few bytes it has. Encoders write about ten scans in a progressive picture; this
    /// allows as many in 10 million pixels, and takes 0.1 s.
    private static let mostScannedPixels = 100_000_000

    /// Returns the most scans that there can be. Some of them may belong to a thumbnail.
    private static func scans(inJPEG bytes: [UInt8]) -> Int {
        zip(bytes, bytes.dropFirst()).count { $0 == 0xFF && $1 == 0xDA }
    }

    /// Nil if it is not a JPEG, or has too many pixels, or very many scans. It reads a large one at a half, a
    /// quarter or an eighth of its size, as long as each side keeps `least` pixels.
    init?(jpeg bytes: [UInt8], maxPixels: Int, keepingSide least: Int) {
        guard let decoder = tjInitDecompress() else { return nil }
        defer { tjDestroy(decoder) }
        var (full, sampling, space) = ((width: Int32(0), height: Int32(0)), Int32(0), Int32(0))
        let count = UInt(bytes.count)
        guard
            tjDecompressHeader3(decoder, bytes, count, &full.width, &full.height, &sampling, &space) == 0,
            full.width > 0, full.height > 0, Int(full.width) <= maxPixels / Int(full.height),
            Self.scans(inJPEG: bytes) <= Self.mostScannedPixels / Int(full.width) / Int(full.height)
        else { return nil }
        func scaled(_ side: Int32, _ part: Int) -> Int { (Int(side) + part - 1) / part }
        let part = [8, 4, 2].first { scaled(min(full.width, full.height), $0) >= least } ?? 1
        (width, height) = (scaled(full.width, part), scaled(full.height, part))
        var pixels = [UInt8](repeating: 0, count: width * height * 4)
        guard
            tjDecompress2(
                decoder, bytes, count, &pixels, Int32(width), Int32(width * 4), Int32(height),
                Int32(TJPF_BGRX.rawValue), TJFLAG_LIMITSCANS | TJFLAG_STOPONWARNING) == 0
        else { return nil }
        for alpha in stride(from: 3, to: pixels.count, by: 4) { pixels[alpha] = 255 }
        self.pixels = pixels
    }
}

extension Bitmap {
    /// Returns the picture at a half, a quarter and so on of its size, as long as each side keeps `least`
    /// pixels: drawing a large picture small takes long.
    func halved(above least: Int) -> Bitmap {
        guard min(width, height) / 2 >= least else { return self }
        let (columns, rows, row) = (width / 2, height / 2, width * 4)
        let halves = [UInt8](unsafeUninitializedCapacity: columns * rows * 4) { halves, count in
            for y in 0..<rows {
                for x in 0..<columns {
                    for channel in 0..<4 {
                        let start = 2 * y * row + 8 * x + channel
                        let sum = [start, start + 4, start + row, start + row + 4].reduce(2) {
                            $0 + Int(pixels[$1])
                        }
                        halves[(y * columns + x) * 4 + channel] = UInt8(sum / 4)
                    }
                }
            }
            count = columns * rows * 4
        }
        return Bitmap(width: columns, height: rows, pixels: halves).halved(above: least)
    }

    /// The mean luminance of the middle third.
    var luminanceOfMiddle: Double {
        var (sum, count) = (0.0, 0)
        for row in stride(from: height / 8, to: height - height / 8, by: 8) {
            for column in stride(from: width / 3, to: width - width / 3, by: 8) {
                let start = (row * width + column) * 4
                let parts = pixels[start..<start + 3].map { UInt32($0) }
                sum += Colour(parts[0] | parts[1] << 8 | parts[2] << 16).luminance
                count += 1
            }
        }
        return count == 0 ? 0 : sum / Double(count)
    }
}
