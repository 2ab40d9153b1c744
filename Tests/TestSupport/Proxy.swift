import Foundation
import Synchronization

/// A proxy to a PostgreSQL server on this machine that loses messages on demand.
public final class Proxy: Sendable {
    public enum Part: Sendable {
        /// The end of a batch from its COMMIT on, so that the server never gets it.
        case commit
        /// The server's answer to a COMMIT, so that the client does not learn that the batch is committed.
        case answer
    }

    public enum Way: Sendable {
        /// The connection is cut.
        case cut
        /// The connection stays open but passes no more bytes in either direction.
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

    /// - Parameter url: the URL of a server on a Unix socket.
    public init(to url: String) throws {
        guard let match = url.firstMatch(of: /host=(\/[^&]*)&port=(\d+)/) else { throw POSIXError(.EINVAL) }
        path = "\(match.1)/.s.PGSQL.\(match.2)"
        (listener, port) = try Loopback.listener(backlog: 64)
        Foundation.Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { serve(client) }
        }
    }

    public func close() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Loses this part of the next batch on any connection.
    public func loseNext(_ part: Part, by way: Way) { planned.withLock { $0 = (part, way) } }

    /// The number of parts lost.
    public var losses: Int { lost.load(ordering: .acquiring) }

    /// The statements sent so far: a list for each connection, in the order in which the connections were
    /// opened.
    public var sent: [[SentStatement]] {
        links.withLock { $0 }.map { SentStatement.all(in: $0.heard.withLock { $0 }) }
    }

    /// Silences the existing connections forever but not new ones, like a router that lost its state.
    public func forget() {
        for link in links.withLock({ $0 }) { link.isSilent.store(true, ordering: .releasing) }
    }

    /// Drops all cancel requests from now on.
    public func swallowCancels() { swallowsCancels.store(true, ordering: .releasing) }

    /// Cuts the next connection that wants to terminate a backend before its request passes.
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

    /// The start of the part to lose; nil if it is not in these bytes.
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
