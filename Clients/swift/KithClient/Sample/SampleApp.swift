#if canImport(SwiftUI)
    import KithClient
    import SwiftUI

    /// The app's scene. In your app: `@main struct MyApp: App { var body: some Scene { SampleScene(model) }
    /// }`.
    public struct SampleScene: Scene {
        @ObservedObject private var model: SampleModel

        public init(_ model: SampleModel) { self.model = model }

        public var body: some Scene {
            WindowGroup {
                Group {
                    switch model.step {
                    case .starting: ProgressView()
                    case .welcome(let invite): WelcomeView(model: model, invite: invite)
                    case .invited(let invite): InvitedView(model: model, invite: invite)
                    case .friends: FriendsView(model: model)
                    }
                }
                .task { await model.start() }
                // Universal links, too.
                .onOpenURL { url in Task { await model.open(url) } }
            }
        }
    }

    struct WelcomeView: View {
        @ObservedObject var model: SampleModel
        let invite: ResolvedInvite?
        @State private var username = ""
        @State private var displayName = ""

        var body: some View {
            Form {
                if let invite {
                    if model.asksWhoInvited {
                        Section("Did \(invite.inviter.name) invite you?") {
                            Button("Yes") { Task { await model.answer(accepts: true) } }
                            Button("No") { Task { await model.answer(accepts: false) } }
                        }
                    } else {
                        Label("\(invite.inviter.name) invites you", systemImage: "person.2")
                    }
                }
                if invite == nil || model.asksWhoInvited {
                    Section("Did a friend send you a link?") {
                        // Pasting needs this press: the app never looks at the pasteboard by itself.
                        if #available(iOS 16.0, macOS 13.0, *) {
                            PasteButton(payloadType: String.self) { texts in
                                Task { @MainActor in await model.paste(texts) }
                            }
                        }
                    }
                }
                Section {
                    TextField("Username", text: $username).disableAutocorrection(true)
                    TextField("Name", text: $displayName)
                    Button("Sign up") {
                        Task { await model.signUp(username: username, displayName: displayName) }
                    }
                    .disabled(username.isEmpty)
                }
                Message(model: model)
            }
        }
    }

    struct InvitedView: View {
        @ObservedObject var model: SampleModel
        let invite: ResolvedInvite

        var body: some View {
            VStack(spacing: 16) {
                Text(
                    model.asksWhoInvited
                        ? "Did \(invite.inviter.name) invite you?" : "\(invite.inviter.name) invites you")
                Button(invite.friendship == .friends ? "Be friends" : "Ask to be friends") {
                    Task { await model.answer(accepts: true) }
                }
                Button("Not now", role: .cancel) { Task { await model.answer(accepts: false) } }
                Message(model: model)
            }
        }
    }

    struct FriendsView: View {
        @ObservedObject var model: SampleModel

        var body: some View {
            NavigationView {
                List {
                    Message(model: model)
                    Section("Requests") {
                        ForEach(model.people.incoming) { person in
                            Row(person: person, action: "Accept") { await model.want(person.uid) }
                        }
                    }
                    Section("Friends") {
                        ForEach(model.people.friends) { person in
                            Row(person: person, action: "Remove") { await model.unwant(person.uid) }
                        }
                    }
                }
                .refreshable { try? await model.refresh() }
                .toolbar { NavigationLink("Add") { AddFriendView(model: model) } }
            }
        }
    }

    struct AddFriendView: View {
        @ObservedObject var model: SampleModel

        var body: some View {
            if let screen = model.addFriend {
                VStack(spacing: 16) {
                    AsyncImage(url: screen.qr) {
                        $0.resizable().interpolation(.none).scaledToFit()
                    } placeholder: {
                        ProgressView()
                    }
                    .frame(width: 220, height: 220)
                    .accessibilityLabel("QR code of your link")
                    Text(screen.me.username).font(.headline)
                    if #available(iOS 16.0, macOS 13.0, *) { ShareLink(item: screen.link) }
                }
            }
        }
    }

    struct Row: View {
        let person: Person
        let action: String
        let act: () async -> Void

        var body: some View {
            HStack {
                Text(person.name ?? "–")
                Spacer()
                Button(action) { Task { await act() } }
            }
        }
    }

    struct Message: View {
        @ObservedObject var model: SampleModel

        var body: some View {
            if let message = model.message { Text(message).foregroundColor(.red) }
        }
    }
#endif
