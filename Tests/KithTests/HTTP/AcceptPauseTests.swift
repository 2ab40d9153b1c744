import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import Kith

/// A listener that the machine refuses connections. A process without any descriptor is no test: the pool of threads
/// needs one now and then to look after itself, and ends the process without.
@Suite struct AcceptPauseTests {
    private struct Reads {
        let connections = OpenConnections(limit: 10)
        let channel = EmbeddedChannel()

        init() throws {
            try channel.pipeline.syncOperations.addHandler(AcceptPause(connections))
        }

        func fail(_ errno: CInt = EMFILE) {
            channel.pipeline.fireErrorCaught(IOError(errnoCode: errno, reason: "accept"))
        }

        func pass(_ milliseconds: Int64) {
            channel.embeddedEventLoop.advanceTime(by: .milliseconds(milliseconds))
        }

        /// Whether the listener goes on by itself, in the order it was told.
        var areOn: Bool? {
            channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool
        }
    }

    @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM, ECONNABORTED])
    func `after an error it accepts nothing for 250 ms, then again`(errno: CInt) throws {
        let reads = try Reads()
        reads.fail(errno)
        #expect(reads.areOn == false)
        reads.pass(249)
        #expect(reads.areOn == false)
        reads.pass(1)
        #expect(reads.areOn == true)
        reads.fail(errno)
        #expect(reads.areOn == false)
        reads.pass(250)
        #expect(reads.areOn == true)
        #expect(reads.connections.sinceStart.acceptErrors == 2)
        #expect(throws: Never.self) { try reads.channel.throwIfErrorCaught() }
    }

    @Test func `a listener closed meanwhile is left alone, and other errors are passed on`() throws {
        let reads = try Reads()
        reads.channel.pipeline.fireErrorCaught(ChannelError.inputClosed)
        #expect(reads.areOn == nil)
        #expect(throws: ChannelError.self) { try reads.channel.throwIfErrorCaught() }
        reads.fail()
        try reads.channel.close().wait()
        reads.pass(250)
        #expect(reads.areOn == false)
    }
}
