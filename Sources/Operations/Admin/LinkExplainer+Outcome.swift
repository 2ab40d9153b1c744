import Foundation
import Graph
import Kernel
import Web

/// What signing up with the link, and accepting it, would make.
extension LinkExplainer {
    func judge(_ reference: InviteReference, _ explanation: inout Explanation) async throws {
        do {
            let invite = try await proof.prove(reference)
            let inviter = invite.inviter.text
            explanation.signingUp = Self.signingUp(invite, inviter)
            explanation.accepting = Self.accepting(invite, inviter)
        } catch let error as InviteError {
            explanation.signingUp = .init(
                result: error.rawValue,
                text: "the sign-up works, and its invite is ignored: \(error.rawValue)")
            explanation.accepting = .init(
                result: error.rawValue,
                text: "refused: \(error.problem.statusCode) \(error.problem.code)")
        }
    }

    private static func signingUp(_ invite: ProvenInvite, _ inviter: String) -> Explanation.Outcome {
        let result = invite.friendshipForNewcomers
        let makes =
            result == .friends
            ? "the newcomer becomes a friend of \(inviter) at once" : "the newcomer asks \(inviter)"
        return .init(
            result: result.rawValue,
            text:
                "\(makes), and counts as invited by \(inviter). If \(inviter) blocks them, it is a request that "
                + "\(inviter) does not see.")
    }

    private static func accepting(_ invite: ProvenInvite, _ inviter: String) -> Explanation.Outcome {
        let result = InviteResult(invite.friendshipForMembers)
        let text =
            result == .friends
            ? "the two are friends at once, since a code is \(inviter)'s consent. It is a request if \(inviter) blocks "
                + "or declined the user, or ended a friendship with them."
            : "the user asks \(inviter): "
                + (invite.code == nil
                    ? "anybody can learn a name and a uid, so these are no consent."
                    : "the link, or its owner, wants to be asked.")
                + " If \(inviter) asked the user before, they are friends."
        return .init(result: result.rawValue, text: text)
    }
}

extension User.Profile {
    /// The name for people.
    var text: String { username }
}

extension LinkTarget.Invitation {
    /// The text for people, behind "the page shows, ".
    var text: String {
        switch self {
        case .friends: "with an invite."
        case .request: "with an invite that asks, as they or the operator want it."
        case .nameOnly: "with an invite that asks: a name proves no more."
        case .none: "without an invite."
        }
    }
}

extension LinkJudgement {
    /// Why the deciding row applies, in words about this link.
    var reason: String {
        let name = name?.text ?? ""
        let uid = inviter?.text ?? ""
        switch decision.row {
        case 1:
            let isRedirect = if case .redirect = decision.target { true } else { false }
            let other = isRedirect ? ", in another spelling." : "."
            return "\(name) is the current name of the active user \(uid)\(other)"
        case 2: return "\(name) is a former name of the active user \(uid), who did not sever it."
        case 3: return "\(name) is a former name of \(uid), who severed it."
        case 4: return "\(name) is or was somebody else's name, and never that of \(uid)."
        case 5:
            return facts.inviter?.historyIsComplete == false
                ? "Nobody ever had the name \(name), and \(uid) was imported without earlier names."
                : "Nobody ever had the name \(name)."
        case 6: return "The user \(uid) is suspended or deleted."
        case 7: return "The uid is unknown or was cut, and \(name) is the current name of an active user."
        case 8:
            return facts.owner == nil
                ? "The link has no uid, and \(name) is held for an active user who did not sever it."
                : "The link has no uid, and \(name) is the current name of an active user."
        default:
            return self.name == nil
                ? "The path has no name."
                : "No active user is named by it: \(hasUID ? "the uid is unknown or was cut, and " : "")"
                    + "nobody active has the name \(name)."
        }
    }
}
