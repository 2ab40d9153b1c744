import Foundation

/// Where the client keeps what must survive the app's end. A write that returned must be found at the next
/// start, and one that the app's end cut short must leave what was there before.
public protocol KithStorage: Sendable {
    /// Nil if there is nothing.
    func read(_ key: String) throws -> Data?
    /// Nil removes it.
    func write(_ key: String, _ data: Data?) throws
}

extension KithStorage {
    /// Nil also for what cannot be read, as by another version of the app: then it is as on the first start.
    func value<Value: Decodable>(_ type: Value.Type, _ key: String) -> Value? {
        (try? read(key)).flatMap { try? KithJSON.decode(type, from: $0) }
    }

    func store(_ value: some Encodable, _ key: String) throws {
        try write(key, KithJSON.encode(value))
    }
}

/// Keeps files in a folder, by default `Kith` in Application Support.
public struct FileStorage: KithStorage {
    private let folder: URL

    public init(folder: URL? = nil) {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
        self.folder =
            folder ?? (support ?? FileManager.default.temporaryDirectory).appendingPathComponent("Kith")
    }

    public func read(_ key: String) throws -> Data? {
        let file = file(key)
        return FileManager.default.fileExists(atPath: file.path) ? try Data(contentsOf: file) : nil
    }

    public func write(_ key: String, _ data: Data?) throws {
        let file = file(key)
        guard let data else {
            if FileManager.default.fileExists(atPath: file.path) {
                try FileManager.default.removeItem(at: file)
            }
            return
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // Written beside and renamed. A phone that was restarted and not unlocked yet can read it, too.
        #if os(iOS)
            try data.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
        #else
            try data.write(to: file, options: .atomic)
        #endif
    }

    private func file(_ key: String) -> URL {
        folder.appendingPathComponent("\(KithLink.encode(key)).json")
    }
}

/// Keeps everything in memory, for tests and previews.
public final class MemoryStorage: KithStorage, @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String: Data] = [:]

    public init() {}

    public func read(_ key: String) -> Data? {
        lock.lock()
        defer { lock.unlock() }
        return values[key]
    }

    public func write(_ key: String, _ data: Data?) {
        lock.lock()
        defer { lock.unlock() }
        values[key] = data
    }
}
