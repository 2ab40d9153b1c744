#if canImport(Combine)
    import Combine
    import Foundation

    /// A `FriendSync` for SwiftUI.
    @MainActor public final class FriendList: ObservableObject {
        @Published public private(set) var snapshot = FriendSync.Snapshot()

        public let sync: FriendSync
        private var listening: Task<Void, Never>?

        public init(_ sync: FriendSync) {
            self.sync = sync
            listening = Task { [weak self] in
                for await snapshot in await sync.snapshots {
                    guard let self else { return }
                    self.snapshot = snapshot
                }
            }
        }

        deinit { listening?.cancel() }
    }
#endif
