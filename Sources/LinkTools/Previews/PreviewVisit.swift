import Web

/// What one fetcher of previews got.
struct PreviewVisit: Sendable {
    var fetcher: PreviewFetcher
    /// The URLs to which redirects led. The first is the one that was asked for.
    var addresses: [String]
    var status: Int
    var headers: [String: String] = [:]
    /// Why there was no answer.
    var failure: HTTPFetch.Failure?
    var tags = PreviewTags(html: [])
    var milliseconds = 0
    /// Whether robots.txt lets it fetch the page, and the picture.
    var mayFetchPage = true
    var mayFetchPicture = true
    var picture: Picture?

    struct Picture: Hashable, Sendable {
        var status: Int
        var mediaType: String?
        var bytes: Int
        /// The picture's size. Nil if it is neither a JPEG nor a PNG.
        var size: Size?

        struct Size: Hashable, Sendable {
            var width: Int
            var height: Int
            var mediaType: String
        }
    }

    var shownTitle: String? { first(fetcher.titles) ?? tags.title }
    var shownDescription: String? { first(fetcher.descriptions) ?? tags["description"] }
    var pictureAddress: String? { first(fetcher.images) }

    private func first(_ keys: [String]) -> String? { keys.lazy.compactMap { tags[$0] }.first }

    /// What people see in a chat or a feed.
    var lines: [String] {
        if let hindrance { return ["no preview: \(hindrance)"] }
        return [shownTitle ?? "(no title)", shownDescription ?? "(no description)", pictureLine]
    }

    /// Why people see nothing.
    private var hindrance: String? {
        if !mayFetchPage { return "robots.txt forbids the page" }
        if let failure { return "\(failure)" }
        if status != 200 { return "status \(status)" }
        return isForbiddenByTag ? "the page says noindex" : nil
    }

    /// Whether the fetcher's own rules keep it from using what it got.
    var isForbiddenByTag: Bool {
        fetcher.obeysNoindex && tags.all("robots").contains { $0.content.lowercased().contains("noindex") }
    }

    private var pictureLine: String {
        guard let picture, let size = picture.size, picture.status == 200 else { return "no picture" }
        guard mayFetchPicture else { return "no picture: robots.txt forbids it" }
        return "picture: \(size.width) × \(size.height), \(size.mediaType), \(picture.bytes.grouped) bytes"
    }
}
