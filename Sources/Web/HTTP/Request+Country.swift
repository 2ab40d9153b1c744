package import HTTPTypes
import Hummingbird

extension Request {
    /// Returns the country from which a proxy sees the request come, as two capital letters.
    /// - Parameter header: the header in which the proxy says so. Nil if none does.
    package func country(by header: String?) -> String? {
        let text = header.flatMap { HTTPField.Name($0) }.flatMap { headers[$0] }
        guard let text, text.utf8.count == 2, text.utf8.allSatisfy({ (0x41...0x5A).contains($0) }) else {
            return nil
        }
        return text
    }
}

extension HTTPField.Name {
    /// Headers in which a proxy may name the visitor's country (`KITH_COUNTRY_HEADER`): those of Cloudflare,
    /// CloudFront, App Engine and Vercel, and a plain one.
    package static let countries = [
        "CF-IPCountry", "CloudFront-Viewer-Country", "X-AppEngine-Country", "X-Vercel-IP-Country",
        "X-Country-Code",
    ].compactMap { HTTPField.Name($0) }
}
