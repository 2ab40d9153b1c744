import Foundation
import Testing

@testable import Kernel
@testable import Web

@Suite struct DevelopmentKeyTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "development-key-\(UUID())")

    @Test func `its tokens are valid with its settings`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let key = try DevelopmentKey(folder: folder)
        let verifier = try TokenVerifier(key.config, world: .live, logger: FakeProvider.silence)
        #expect(try await verifier.verify(key.sign(uid: "Zoë")).uid.text == "Zoë")
        let again = try DevelopmentKey(folder: folder)
        #expect(try await verifier.verify(again.sign(uid: "bob")).uid.text == "bob")
    }

    @Test func `only its owner can read it`() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try DevelopmentKey(folder: folder)
        let file = folder.appending(path: "development-key.pem")
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                "development-key.pem", "jwks.json",
            ])
    }

    @Test func `concurrent creations give the same key`() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let folder = folder
        let keys = try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<20 { group.addTask { try DevelopmentKey(folder: folder).jwks } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(keys.count == 1)
    }
}
