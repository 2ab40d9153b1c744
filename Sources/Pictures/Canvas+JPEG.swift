import CPangoCairo
import CTurboJPEG

extension Canvas {
    /// Returns a JPEG. Nil if the encoder fails because there is not enough memory.
    func jpeg(quality: Int) -> [UInt8]? {
        cairo_surface_flush(surface)
        guard let encoder = tjInitCompress() else { return nil }
        defer { tjDestroy(encoder) }
        var (bytes, size): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
        defer { tjFree(bytes) }
        let status = tjCompress2(
            encoder, cairo_image_surface_get_data(surface), Int32(width),
            cairo_image_surface_get_stride(surface), Int32(height), Int32(TJPF_BGRX.rawValue), &bytes,
            &size, Int32(TJSAMP_444.rawValue), Int32(quality), TJFLAG_ACCURATEDCT)
        guard status == 0, let bytes else { return nil }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    }
}
