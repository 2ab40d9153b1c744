import HTTPTypes
import Testing

@testable import AppTesting

/// Words in bodies of which only some are allowed.
extension BadInputTests {
    @Test(arguments: [
        Slot(.patch, "/v1/me", "`invites` must be auto, ask or off.", #"{"invites":§}"#),
        Slot(.post, "/v1/invites", "`friendship` must be auto or ask.", #"{"friendship":§}"#),
        Slot(
            .put, "/v1/me/username", "`oldLinks` must be forward or sever.",
            #"{"username":"ann","oldLinks":§}"#),
        Slot(
            .post, "/v1/links", "`suffix` must be unguessable, short or custom.",
            #"{"parameters":{},"suffix":§}"#),
    ])
    func `an error for a word lists those that are allowed`(slot: Slot) async throws {
        try await TestApp.run { app in
            try await app.signUp("ann")
            let sender = try await Sender(app)
            let answer = try await sender.send(
                slot.method, slot.path, body: slot.filled(Array("\"maybe\"".utf8)))
            #expect((answer.status, answer["detail"]) == (400, slot.field), "\(answer.text)")
        }
    }
}
