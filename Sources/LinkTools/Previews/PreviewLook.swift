/// How a network draws the preview of a link.
struct PreviewLook: Hashable, Sendable {
    /// Which part of a picture it shows.
    enum Crop: String, Sendable {
        /// 1.91 times as wide as high.
        case wide
        /// A small square beside the text.
        case square
        /// All of it.
        case whole
    }

    /// With `twitter:card` as `summary_large_image`, and without.
    var large = Crop.whole
    var small = Crop.whole
    var hasDescription = true
}
