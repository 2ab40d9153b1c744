import Foundation
import Synchronization

/// A way to the server that can lose what goes over it, without a word to either side.
final class Proxy: Sendable {
    let port: UInt16
    private let listener: Int32
    private let path: String
    private let swallowsCommit = Atomic<Bool>(false)
    private let swallowsAnswer = Atomic<Bool>(false)
    private let links = Mutex<[Silence]>([])
    private let swallowsCancels = Atomic<Bool>(false)
    private let cutsTermination = Atomic<Bool>(false)

    /// - Parameter url: of a server with a socket in a folder.
    init(to url: String) throws {
        guard let match = url.firstMatch(of: /host=(\/[^&]*)&port=(\d+)/) else { throw POSIXError(.EINVAL) }
        path = "\(match.1)/.s.PGSQL.\(match.2)"
        let listener = socket(AF_INET, proxyStream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                _ = listen(listener, 64)
                _ = getsockname(listener, address, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        self.listener = listener
        Foundation.Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { serve(client) }
        }
    }

    func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The next batch loses its end, and its connection falls silent for ever.
    func swallowNextCommit() { swallowsCommit.store(true, ordering: .releasing) }

    /// The next batch is committed, but nobody hears of it, and its connection falls silent for ever.
    func swallowNextAnswer() { swallowsAnswer.store(true, ordering: .releasing) }

    /// As a router that lost its state: the connections there are fall silent for ever, new ones do not.
    func forget() {
        for silence in links.withLock({ $0 }) { silence.isOn.store(true, ordering: .releasing) }
    }

    /// From now on cancels arrive nowhere.
    func swallowCancels() { swallowsCancels.store(true, ordering: .releasing) }

    /// The next connection that asks for a backend to be ended is cut before it has asked.
    func cutNextTermination() { cutsTermination.store(true, ordering: .releasing) }

    func url(instead url: String) -> String {
        url.replacing(/host=\/[^&]*&port=\d+/, with: "host=127.0.0.1&port=\(port)")
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_UNIX, proxyStream, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(server, $0, length) }
        }
        let isSilent = Silence()
        links.withLock { $0.append(isSilent) }
        Foundation.Thread.detachNewThread { [self] in pump(client, server, isSilent, isClient: true) }
        Foundation.Thread.detachNewThread { [self] in pump(server, client, isSilent, isClient: false) }
    }

    private final class Silence: Sendable { let isOn = Atomic<Bool>(false) }

    private func pump(_ from: Int32, _ to: Int32, _ silence: Silence, isClient: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(from, &buffer, buffer.count), count > 0 {
            var bytes = buffer[..<count]
            if isClient, cuts(bytes) { break }
            if let end = isClient ? lost(bytes) : lostAnswer(bytes) {
                bytes = bytes[..<end]
                silence.isOn.store(true, ordering: .releasing)
                bytes.withUnsafeBytes { _ = write(to, $0.baseAddress, $0.count) }
            }
            if silence.isOn.load(ordering: .acquiring) { continue }
            bytes.withUnsafeBytes { _ = write(to, $0.baseAddress, $0.count) }
        }
        guard !silence.isOn.load(ordering: .acquiring) else { return }
        shutdown(to, Int32(SHUT_RDWR))
        shutdown(from, Int32(SHUT_RDWR))
    }

    private func cuts(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard cutsTermination.load(ordering: .acquiring),
            bytes.firstRange(of: Array("pg_terminate_backend".utf8)) != nil
        else { return false }
        cutsTermination.store(false, ordering: .releasing)
        return true
    }

    private func lostAnswer(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard swallowsAnswer.load(ordering: .acquiring), bytes.firstRange(of: Array("COMMIT".utf8)) != nil
        else { return nil }
        swallowsAnswer.store(false, ordering: .releasing)
        return bytes.startIndex
    }

    /// Where the silence begins; nil: not here.
    private func lost(_ bytes: ArraySlice<UInt8>) -> Int? {
        let cancel: [UInt8] = [0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e]
        if swallowsCancels.load(ordering: .acquiring), bytes.starts(with: cancel) { return bytes.startIndex }
        guard swallowsCommit.load(ordering: .acquiring),
            let commit = bytes.firstRange(of: Array("COMMIT".utf8))
        else { return nil }
        swallowsCommit.store(false, ordering: .releasing)
        return commit.lowerBound
    }
}

#if os(Linux)
    private let proxyStream = Int32(SOCK_STREAM.rawValue)
#else
    private let proxyStream = SOCK_STREAM
#endif
