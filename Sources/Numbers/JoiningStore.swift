import Counts
import Events
import Foundation
import Postgres

/// Reads what tables of other rooms say of those who joined by invites.
struct JoiningStore: Sendable {
    let lane: Lane
    let policy: CountPolicy

    /// Adds what is known of joining to events of sign-ups and new friends.
    func addJoinings(to events: inout [CountedEvent]) async throws {
        let told = events.filter {
            ($0.kind == .userSignedUp || $0.kind == .friendCreated) && $0.other != nil
        }
        let people = Set(told.flatMap { [$0.user, $0.other].compactMap(\.self) })
        guard !people.isEmpty else { return }
        let found = try await acceptances(of: people)
        let others = Set(found.values.map(\.inviter))
        let (named, known) = try await (
            kinds(of: Set(found.values.compactMap(\.code))), inviters(others)
        )
        let newFriends = Set(
            told.filter { $0.kind == .friendCreated }.flatMap { [$0.user, $0.other].compactMap(\.self) })
        let (came, tapped) = try await (links(of: newFriends), taps(of: newFriends, by: others))
        let gone = try await deleted(among: newFriends.intersection(found.keys))
        var befriended = try await haveCounts(newFriends.intersection(found.keys), of: "invites.friendships")
        var counted: Set<UUID> = []
        for place in events.indices {
            let event = events[place]
            guard event.kind == .userSignedUp || event.kind == .friendCreated, let other = event.other,
                let (invitee, acceptance) = [(event.user, other), (other, event.user)].lazy
                    .compactMap({ invitee, inviter in found[invitee].map { (invitee, inviter, $0) } })
                    .first(where: { $2.inviter == $1 }).map({ ($0.0, $0.2) })
            else { continue }
            var inviter = known[acceptance.inviter] ?? .init(id: acceptance.inviter)
            if event.kind == .userSignedUp {
                if !counted.insert(inviter.id).inserted { inviter.isNew = false }
            } else {
                // The sums of who deleted their account are gone: of them, only a sign-up is the first time.
                guard event.isFirst, befriended.insert(invitee).inserted,
                    !gone.contains(invitee) || event.at == acceptance.at
                else { continue }
            }
            events[place].joining = .init(
                kind: acceptance.code.map { named[$0] ?? "custom" } ?? "name", link: came[invitee],
                tappedAt: tapped[invitee], inviter: inviter,
                invitee: gone.contains(invitee) ? nil : invitee)
        }
    }

    private struct Acceptance {
        let inviter: UUID
        let code: String?
        let at: Date
    }

    private func acceptances(of people: Set<UUID>) async throws -> [UUID: Acceptance] {
        let rows = try await lane.query(
            "SELECT invitee_id, inviter_id, code, accepted_at FROM acceptances WHERE invitee_id = ANY(\(Array(people)))"
        ) { row in
            try (row.next(as: UUID.self), Acceptance(inviter: row.next(), code: row.next(), at: row.next()))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns the kinds of links by their codes. A link may have been deleted since.
    private func kinds(of codes: Set<String>) async throws -> [String: String] {
        guard !codes.isEmpty else { return [:] }
        let rows = try await lane.query("SELECT code, kind FROM invites WHERE code = ANY(\(Array(codes)))") {
            try ($0.next(as: String.self), $0.next(as: String.self))
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    private func inviters(_ ids: Set<UUID>) async throws -> [UUID: CountedEvent.Inviter] {
        guard !ids.isEmpty else { return [:] }
        let all = Array(ids)
        let rows = try await lane.query(
            """
            SELECT id, created_at, \(policy.day(of: "created_at"))::text, status = 'deleted' FROM users
            WHERE id = ANY(\(all))
            """
        ) { row in
            try CountedEvent.Inviter(
                id: row.next(), joinedAt: row.next(), joinedOn: row.next(), isGone: row.next())
        }
        let before = try await haveCounts(ids, of: "invites.sign_ups")
        let invited = try await Set(acceptances(of: ids).keys)
        return Dictionary(
            uniqueKeysWithValues: rows.map { inviter in
                var inviter = inviter
                inviter.wasInvited = invited.contains(inviter.id)
                inviter.isNew = !before.contains(inviter.id)
                return (inviter.id, inviter)
            })
    }

    /// Returns which of some users have counts of a measure of their own.
    private func haveCounts(_ users: Set<UUID>, of measure: String) async throws -> Set<UUID> {
        guard !users.isEmpty else { return [] }
        let subjects = users.map { $0.uuidString.lowercased() }
        let found = try await lane.query(
            "SELECT DISTINCT subject FROM counts WHERE subject = ANY(\(subjects)) AND measure = \(measure)"
        ) { try $0.next(as: String.self) }
        return Set(found.compactMap { UUID(uuidString: $0) })
    }

    private func deleted(among users: Set<UUID>) async throws -> Set<UUID> {
        guard !users.isEmpty else { return [] }
        return Set(
            try await lane.query(
                "SELECT id FROM users WHERE id = ANY(\(Array(users))) AND status = 'deleted'"
            ) { try $0.next(as: UUID.self) })
    }

    /// Returns the deep links that brought users.
    private func links(of users: Set<UUID>) async throws -> [UUID: String] {
        guard !users.isEmpty else { return [:] }
        let rows = try await lane.query(
            "SELECT user_id, link FROM signups WHERE user_id = ANY(\(Array(users))) AND link IS NOT NULL"
        ) { try ($0.next(as: UUID.self), $0.next(as: String.self)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    /// Returns when users went to a store by an invite.
    private func taps(of users: Set<UUID>, by inviters: Set<UUID>) async throws -> [UUID: Date] {
        guard !users.isEmpty, !inviters.isEmpty else { return [:] }
        let rows = try await lane.query(
            """
            SELECT invitee_id, min(tapped_at) FROM installs
            WHERE inviter_id = ANY(\(Array(inviters))) AND invitee_id = ANY(\(Array(users)))
            GROUP BY invitee_id
            """
        ) { try ($0.next(as: UUID.self), $0.next(as: Date.self)) }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
