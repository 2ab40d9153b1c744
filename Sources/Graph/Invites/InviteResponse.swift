import Foundation
import Hummingbird
package import Kernel

/// A custom link as its owner sees it.
package struct InviteResponse: ResponseEncodable {
    let code: String
    let url: String
    let shortUrl: String
    let qr: QRResponse
    let label: String?
    let note: String?
    let friendship: Invite.Mode
    let maxUses: Int?
    let uses: Int
    let expiresAt: Date?
    let revokedAt: Date?
    let createdAt: Date

    init(_ invite: Invite, of owner: User.Profile, _ links: InviteLinks) {
        code = invite.code.text
        url = links.custom(invite.code, of: owner)
        shortUrl = links.short(invite.code)
        qr = QRResponse(invite.code, links)
        label = invite.label
        note = invite.note
        friendship = invite.friendship
        maxUses = invite.maxUses
        uses = invite.uses
        expiresAt = invite.expiresAt
        revokedAt = invite.revokedAt
        createdAt = invite.createdAt
    }
}

/// A user's permanent link.
package struct PermanentInviteResponse: ResponseEncodable {
    let url: String
    let shortUrl: String
    let code: String
    let qr: QRResponse

    package init(_ owner: User.Profile, code: Invite.Code, _ links: InviteLinks) {
        url = links.permanent(owner)
        shortUrl = links.short(code)
        self.code = code.text
        qr = QRResponse(code, links)
    }
}

/// Pictures of a short link.
struct QRResponse: Encodable {
    let svg: String
    let png: String

    init(_ code: Invite.Code, _ links: InviteLinks) {
        (svg, png) = (links.qr(code, "svg"), links.qr(code, "png"))
    }
}
