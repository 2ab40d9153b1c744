import Graph
import Web

/// What Kith writes in Google Play's referrer: `kith_claim=` with the token of a tap, then a deep link, as in
/// `kith_link=https%3A%2F%2Fgo.example.com%2FKPo2`.
enum LinkReferrer {
    private static let (token, link) = ("kith_claim", "kith_link")

    /// Returns the pair of a link. Nil for a link that is too long: Google does not say how long a referrer
    /// may be.
    static func text(_ url: String) -> String? {
        let text = "\(link)=\(PercentEncoding.encode(url))"
        return text.utf8.count <= 1024 ? text : nil
    }

    static func text(_ token: InstallToken) -> String { "\(self.token)=\(token.text)" }

    /// The most bytes of a whole referrer.
    static let mostBytes = 2048

    /// Returns the token and the link in a referrer, which may have other pairs behind them.
    ///
    /// They count only at the beginning, where Kith writes them. What stands further back, or in the value of
    /// another pair, comes from visitors, who may add a campaign to any link.
    static func read(_ referrer: String) -> (token: String?, link: String?) {
        // Some apps hand it on as it stood in the store's URL, encoded once more as a whole.
        let isEncoded = !referrer.utf8.contains(UInt8(ascii: "="))
        let text = isEncoded ? PercentEncoding.decode(referrer.utf8) ?? "" : referrer
        var pairs = text.utf8.split(separator: UInt8(ascii: "&"))[...]
        func take(_ name: String) -> String? {
            guard let pair = pairs.first?.split(separator: UInt8(ascii: "="), maxSplits: 1),
                pair.count == 2, PercentEncoding.decode(pair[0]) == name
            else { return nil }
            pairs.removeFirst()
            return PercentEncoding.decode(pair[1])
        }
        return (take(token), take(link))
    }
}
