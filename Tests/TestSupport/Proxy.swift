import Foundation
import Synchronization

/// A way to a PostgreSQL of this machine that loses what it is told to.
public final class Proxy: Sendable {
    public enum Part: Sendable {
        /// The end of a batch, from its COMMIT on: the server never gets it.
        case commit
        /// The server's answer to a COMMIT: nobody hears that the batch is committed.
        case answer
    }

    public enum Way: Sendable {
        /// The connection is cut.
        case cut
        /// From then on the connection is silent, without a word to either side.
        case silence
    }

    private let port: UInt16
    private let listener: Int32
    private let path: String
    private let planned = Mutex<(part: Part, way: Way)?>(nil)
    private let lost = Atomic<Int>(0)
    private let links = Mutex<[Link]>([])
    private let swallowsCancels = Atomic<Bool>(false)
    private let cutsTermination = Atomic<Bool>(false)

    /// - Parameter url: of a server with a socket in a folder.
    public init(to url: String) throws {
        guard let match = url.firstMatch(of: /host=(\/[^&]*)&port=(\d+)/) else { throw POSIXError(.EINVAL) }
        path = "\(match.1)/.s.PGSQL.\(match.2)"
        (listener, port) = try Loopback.listener(backlog: 64)
        Foundation.Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { serve(client) }
        }
    }

    public func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Loses this of the next batch, whoever sends it.
    public func loseNext(_ part: Part, by way: Way) { planned.withLock { $0 = (part, way) } }

    /// How often it did.
    public var losses: Int { lost.load(ordering: .acquiring) }

    /// The statements that have come by, a list for each connection in the order in which they were opened.
    public var sent: [[SentStatement]] {
        links.withLock { $0 }.map { SentStatement.all(in: $0.heard.withLock { $0 }) }
    }

    /// As a router that lost its state: the connections there are fall silent for ever, new ones do not.
    public func forget() {
        for link in links.withLock({ $0 }) { link.isSilent.store(true, ordering: .releasing) }
    }

    /// From now on cancels arrive nowhere.
    public func swallowCancels() { swallowsCancels.store(true, ordering: .releasing) }

    /// The next connection that asks for a backend to be ended is cut before it has asked.
    public func cutNextTermination() { cutsTermination.store(true, ordering: .releasing) }

    public func url(instead url: String) -> String {
        url.replacing(/host=\/[^&]*&port=\d+/, with: "host=127.0.0.1&port=\(port)")
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_UNIX, Loopback.stream, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(server, $0, length) }
        }
        let link = Link()
        links.withLock { $0.append(link) }
        Foundation.Thread.detachNewThread { [self] in pump(client, server, link, isClient: true) }
        Foundation.Thread.detachNewThread { [self] in pump(server, client, link, isClient: false) }
    }

    private final class Link: Sendable {
        let isSilent = Atomic<Bool>(false)
        let heard = Mutex<[UInt8]>([])
    }

    private func pump(_ from: Int32, _ to: Int32, _ link: Link, isClient: Bool) {
        func pass(_ bytes: ArraySlice<UInt8>) {
            guard !link.isSilent.load(ordering: .acquiring) else { return }
            bytes.withUnsafeBytes { _ = write(to, $0.baseAddress, $0.count) }
        }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(from, &buffer, buffer.count), count > 0 {
            let bytes = buffer[..<count]
            if isClient { link.heard.withLock { $0 += bytes } }
            if isClient, isCutTermination(bytes) { break }
            if isClient, isSwallowedCancel(bytes) {
                link.isSilent.store(true, ordering: .releasing)
            } else if let loss = loss(in: bytes, isClient ? .commit : .answer) {
                pass(bytes[..<loss.start])
                if loss.way == .cut { break }
                link.isSilent.store(true, ordering: .releasing)
            } else {
                pass(bytes)
            }
        }
        guard !link.isSilent.load(ordering: .acquiring) else { return }
        shutdown(to, Int32(SHUT_RDWR))
        shutdown(from, Int32(SHUT_RDWR))
    }

    /// Where it begins; nil: not here.
    private func loss(in bytes: ArraySlice<UInt8>, _ part: Part) -> (start: Int, way: Way)? {
        planned.withLock { planned in
            guard let (wanted, way) = planned, wanted == part,
                let commit = bytes.firstRange(of: Array("COMMIT".utf8))
            else { return nil }
            planned = nil
            lost.add(1, ordering: .releasing)
            return (part == .commit ? commit.lowerBound : bytes.startIndex, way)
        }
    }

    private func isCutTermination(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.firstRange(of: Array("pg_terminate_backend".utf8)) != nil
            && cutsTermination.exchange(false, ordering: .acquiringAndReleasing)
    }

    private func isSwallowedCancel(_ bytes: ArraySlice<UInt8>) -> Bool {
        swallowsCancels.load(ordering: .acquiring)
            && bytes.starts(with: [0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e])
    }
}
