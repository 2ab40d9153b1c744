import Foundation
import Hummingbird

/// `/v1/signup`.
struct SignupRoutes {
    let completion: SignupCompletion
    let policy: UsernamePolicy
    let links: InviteLinks

    private struct Body: RequestBody {
        var username: String
        var displayName: String?
        var invite: InviteReferenceBody?

        static let fields: Set =
            Set(["username", "displayName", "invite"])
            .union(InviteReferenceBody.fields.map { "invite.\($0)" })
    }

    private struct Answer: Encodable {
        let user: UserBody
        let invite: InviteBody

        struct InviteBody: Encodable {
            var outcome: String
            var reason: String?
            var inviter: User.Profile?
            var friendship = Friendship.none
        }
    }

    /// `POST /v1/signup` completes the sign-up of the caller.
    @Sendable func signUp(_ request: Request, context: UserContext) async throws -> Response {
        let body = try await request.body(as: Body.self)
        let signup = try Signup(
            uid: context.uid, username: policy.requested(body.username),
            displayName: DisplayName.requested(body.displayName),
            invite: body.invite?.reference(links, field: "invite"))
        do {
            let (receipt, isNew) = try await completion.complete(signup)
            return try JSON.response(answer(receipt, signup.uid), status: isNew ? .created : .ok)
        } catch SignupRefusal.usernameTaken {
            throw UsernameError.taken.problem
        } catch SignupRefusal.alreadySignedUp {
            throw Problem(.conflict, "already_signed_up", "This user has signed up with another username.")
        } catch SignupRefusal.suspended {
            throw Problem.suspended
        } catch SignupRefusal.deleted {
            throw Problem.accountDeleted
        }
    }

    private func answer(_ receipt: SignupReceipt, _ uid: User.UID) -> Answer {
        let user = UserBody(
            uid: uid.text, username: receipt.username, displayName: receipt.displayName,
            status: User.Status.active.rawValue, createdAt: receipt.createdAt)
        let invite =
            switch receipt.outcome {
            case .accepted(let inviter, let friendship):
                Answer.InviteBody(outcome: "accepted", inviter: inviter, friendship: friendship)
            case .ignored(let reason): Answer.InviteBody(outcome: "ignored", reason: reason)
            case .none: Answer.InviteBody(outcome: "none")
            }
        return Answer(user: user, invite: invite)
    }
}
