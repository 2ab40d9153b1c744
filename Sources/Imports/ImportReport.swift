import Kernel
import Web

/// The result of an import: how much was imported, and what was repaired, unchanged or refused.
package struct ImportReport: Sendable, CustomStringConvertible {
    /// How many lines the file has, without the header.
    package var lines: Int
    /// How many users, periods of usernames, friendships, or links are new.
    package var imported: Int
    package var findings: [Finding] = []

    package init(lines: Int, imported: Int, findings: [Finding] = []) {
        self.lines = lines
        self.imported = imported
        self.findings = findings
    }

    /// A reason, and the lines to which it applies.
    package struct Finding: Sendable, Equatable {
        package var reason: Reason
        package var count: Int
        /// The first few of those lines. The header is line 1.
        package var lines: [Int]

        package init(_ reason: Reason, _ count: Int, lines: [Int] = []) {
            self.reason = reason
            self.count = count
            self.lines = lines
        }
    }

    /// The report as text. The first line has the totals; the others name the findings, the worst last.
    package var description: String {
        let sum = "\(lines.grouped) line\(lines == 1 ? "" : "s"), \(imported.grouped) imported"
        return ([sum] + findings.sorted { $0.reason < $1.reason }.map(\.description))
            .joined(separator: "\n")
    }
}

extension ImportReport.Finding {
    var description: String {
        let kind = "\(reason.kind)"
        let indent = String(repeating: " ", count: 11 - kind.count)
        let shown = lines.prefix(5).map(String.init)
        let more = count > shown.count ? ", …" : ""
        let place =
            lines.isEmpty
            ? "" : " (line\(count == 1 ? "" : "s") \(shown.joined(separator: ", "))\(more))"
        return "  \(kind)\(indent)\(count.grouped) \(reason.text)\(place)"
    }
}

extension ImportReport {
    /// Why lines were repaired, unchanged or refused. The raw values are the words in the stores' SQL.
    package enum Reason: String, Sendable, CaseIterable, Comparable {
        case displayNameDropped = "display_name_dropped"
        case avatarDropped = "avatar_dropped"
        case metadataDropped = "metadata_dropped"
        case startMoved = "start_moved"
        case madeWhole = "made_whole"
        case madeRequest = "made_request"
        case linkPartly = "link_partly"
        case offerMoved = "offer_moved"
        case already
        case duplicate
        case uidInvalid = "uid_invalid"
        case uidTwice = "uid_twice"
        case uidTaken = "uid_taken"
        case usernameInvalid = "username_invalid"
        case usernameNoLink = "username_no_link"
        case usernameNotAllowed = "username_not_allowed"
        case usernameTwice = "username_twice"
        case usernameTaken = "username_taken"
        case statusInvalid = "status_invalid"
        case statusDiffers = "status_differs"
        case invitesInvalid = "invites_invalid"
        case nameStateInvalid = "name_state_invalid"
        case timeInvalid = "time_invalid"
        case periodOpen = "period_open"
        case periodReversed = "period_reversed"
        case periodOverlaps = "period_overlaps"
        case unknownUser = "unknown_user"
        case oneSided = "one_sided"
        case oneself
        case blocked
        case friendLimit = "friend_limit"
        case requestLimit = "request_limit"
        case relationshipInvalid = "relationship_invalid"
        case standsOtherwise = "stands_otherwise"
        case codeInvalid = "code_invalid"
        case inviteInvalid = "invite_invalid"
        case codeSecond = "code_second"
        case unknownCode = "unknown_code"
        case useLimit = "use_limit"
        case inviterTaken = "inviter_taken"
        case linkDomain = "link_domain"
        case linkCode = "link_code"
        case linkTarget = "link_target"
        case linkNotAllowed = "link_not_allowed"
        case codeTaken = "code_taken"
        case offerCode = "offer_code"
        case offerColumn = "offer_column"
        case offerURL = "offer_url"
        case offerOtherCode = "offer_other_code"
        case offerOtherApp = "offer_other_app"
        case offerExpiry = "offer_expiry"
        case offerPool = "offer_pool"

        package enum Kind { case repaired, unchanged, refused }

        package var kind: Kind {
            switch self {
            case .displayNameDropped, .avatarDropped, .metadataDropped, .startMoved, .madeWhole, .madeRequest,
                .linkPartly, .offerMoved:
                .repaired
            case .already, .duplicate: .unchanged
            default: .refused
            }
        }

        package var text: String {
            switch self {
            case .displayNameDropped: "display names dropped, because they cannot be shown"
            case .avatarDropped: "avatars dropped, because no page could show them"
            case .metadataDropped: "metadata dropped, because it is no object of strings, or too large"
            case .startMoved: "first known usernames now begin when the one before them ends"
            case .madeWhole: "one-sided, imported as friendships"
            case .madeRequest: "one-sided, imported as requests of the side that lists them"
            case .linkPartly: "imported, though not all of it holds"
            case .offerMoved: "given another expiry"
            case .already: "already there"
            case .duplicate: "duplicate"
            case .uidInvalid: "uid is not 1 to 128 characters of one line"
            case .uidTwice: "uid was on an earlier line"
            case .uidTaken: "uid has an account with another username, or a deleted one"
            case .usernameInvalid: "username is not 1 to 64 characters of one line"
            case .usernameNoLink: "username is . or .., which no link can carry"
            case .usernameNotAllowed: "username that users may not choose (--keep-names accepts it)"
            case .usernameTwice: "username was on an earlier line"
            case .usernameTaken: "username belongs to or is held for another user, or is reserved"
            case .statusInvalid: "status is not active, suspended or deleted"
            case .statusDiffers: "uid has an account with another status, left as it is"
            case .invitesInvalid: "invites is not auto, ask or off"
            case .nameStateInvalid:
                "not held (uid, held_until), reserved (no uid) or released (no held_until)"
            case .timeInvalid: "time that is none, before 1970 or in the future"
            case .periodOpen: "no valid_from or no valid_to"
            case .periodReversed: "valid_to is not after valid_from"
            case .periodOverlaps: "overlaps another name of the same user"
            case .unknownUser: "unknown user"
            case .oneSided: "one-sided"
            case .oneself: "self"
            case .blocked: "blocked, left as it is"
            case .friendLimit: "over the limit of friends"
            case .requestLimit: "over the limit of pending requests"
            case .relationshipInvalid: "says nothing, or what cannot be, as a block and a request at once"
            case .standsOtherwise: "the two stand otherwise by now, left as it is"
            case .codeInvalid: "code is not one that Kith makes"
            case .inviteInvalid: "kind, mode, label, note or max_uses that no invite has"
            case .codeSecond: "user has another short code in force"
            case .unknownCode: "unknown code"
            case .useLimit: "code was used up"
            case .inviterTaken: "user joined by another's invite, or invited the inviter"
            case .linkDomain: "short link of no domain in KITH_LINK_DOMAINS"
            case .linkCode: "short link without a code that Kith takes"
            case .linkTarget: "link is no http or https URL, or a short link itself"
            case .linkNotAllowed: "link leads to a host that KITH_LINK_TARGETS does not have"
            case .codeTaken: "short link leads elsewhere already"
            case .offerCode: "code is not 4 to 64 letters and digits"
            case .offerColumn:
                "looks like the name of a column: name it code, or put a line with that name first"
            case .offerURL: "URL redeems no code in the App Store"
            case .offerOtherCode: "URL has another code"
            case .offerOtherApp: "URL is of another app than the campaign"
            case .offerExpiry: "no expiry, or none that is a time: give --expires"
            case .offerPool: "code is in another campaign"
            }
        }

        package static func < (left: Self, right: Self) -> Bool {
            (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
        }
    }
}
