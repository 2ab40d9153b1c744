import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import HTTPServer

/// A listener whose accept() fails. The test cannot use up all descriptors: the thread pool now and then
/// needs one, and ends the process without it.
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

        /// The values of `autoRead` that the listener was set to, in order.
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

    @Test func `while more are accepted than may be open, it accepts nothing`() throws {
        let reads = try Reads()
        let most = 10 + OpenConnections.refusalMargin(10)
        let accepted = (0...most).map { _ in EmbeddedChannel() }
        for channel in accepted.dropLast() { reads.channel.pipeline.fireChannelRead(channel) }
        #expect(reads.areOn == nil)
        reads.channel.pipeline.fireChannelRead(accepted[most])
        #expect(reads.areOn == false)
        reads.pass(100)
        #expect(reads.areOn == false)
        _ = try accepted[0].finish()
        reads.pass(10)
        #expect(reads.areOn == true)
        for channel in accepted.dropFirst() { _ = try channel.finish() }
        #expect(!reads.connections.isCrowded)
    }

    @Test func `a listener closed meanwhile stays closed, and other errors are passed on`() throws {
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
