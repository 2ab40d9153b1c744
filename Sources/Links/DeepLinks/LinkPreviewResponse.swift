import Hummingbird
import Kernel
import LinkTools

/// How a link looks when it is shared.
package struct LinkPreviewResponse: ResponseEncodable {
    /// What the networks show. Empty if the link has no page for them.
    let networks: [PreviewForecast.Card]
    /// The rules that the texts and the picture break.
    let faults: [PreviewForecast.Fault]
    /// The parameters that are left out, and why.
    let warnings: [ShortLinkResponse.Warning]
    /// Where networks find their preview if the link has no page of its own for them, as that of an invite.
    let elsewhere: String?

    init(_ forecast: PreviewForecast, _ warnings: [LinkWarning]) {
        (networks, faults, elsewhere) = (forecast.cards, forecast.faults, nil)
        self.warnings = warnings.map(ShortLinkResponse.Warning.init)
    }

    init(elsewhere: String, _ warnings: [LinkWarning]) {
        (networks, faults, self.elsewhere) = ([], [], elsewhere)
        self.warnings = warnings.map(ShortLinkResponse.Warning.init)
    }
}
