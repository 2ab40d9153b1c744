/// A deep link in Google Play's referrer: `kith_link=https%3A%2F%2Fgo.example.com%2FKPo2`.
enum LinkReferrer {
    private static let name = "kith_link"

    /// Nil for a link that is too long: Google does not say how long a referrer may be.
    static func text(_ url: String) -> String? {
        let text = "\(name)=\(PercentEncoding.encode(url))"
        return text.utf8.count <= 1024 ? text : nil
    }

    /// Of all that stands in it.
    static let mostBytes = 2048

    /// The link in a referrer, which may have other pairs beside it.
    static func url(in referrer: String) -> String? { referrer.valueInReferrer(name) }
}

extension String {
    /// The value of a name in a referrer.
    func valueInReferrer(_ name: String) -> String? {
        // Some hand it on as it stood in the store's URL, encoded once more.
        let texts = [self, PercentEncoding.decode(utf8) ?? ""]
        // The first counts: what visitors add to a link stands behind what Kith wrote.
        return texts.lazy.compactMap { text in
            text.split(separator: "&").lazy.map {
                $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            }
            .first { $0.count == 2 && PercentEncoding.decode($0[0].utf8) == name }
            .flatMap { PercentEncoding.decode($0[1].utf8) }
        }.first
    }
}
