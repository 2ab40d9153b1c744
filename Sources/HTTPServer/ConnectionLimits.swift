import NIOCore

/// The timeouts and sizes of one connection.
package struct ConnectionLimits: Sendable {
    /// The time from the first byte of a request's head to its end.
    var head: TimeAmount = .seconds(10)
    /// The time from the end of the head to the end of the body.
    var body: TimeAmount = .seconds(30)
    /// The time in which a client must take at least `minimumProgress` of a pending response.
    var stall: TimeAmount = .seconds(30)
    /// The time between two requests.
    var idle: TimeAmount = .seconds(60)
    /// The time between two requests while the server ends. A proxy may just have sent a request on a
    /// connection that it took for open.
    var lastCall: TimeAmount = .seconds(1)
    /// The time after the last response for the client to read it.
    var leaving: TimeAmount = .seconds(2)
    /// The time to read the last response on refused connections, which take the place of others.
    var turnedAway: TimeAmount = .milliseconds(250)
    /// How often these times are checked, if nothing is due earlier.
    var beat: TimeAmount = .seconds(10)

    package init() {}

    /// The size of one header, name and value, and of the request line.
    static let field = 16 * 1024
    /// The size of all headers.
    static let fields = 32 * 1024
    static let fieldCount = 100
    /// How much of a refused body is read and dropped. If more is to come, the connection is closed.
    static let unread = 64 * 1024
    static let minimumProgress = 16 * 1024
    /// How long a connection must be idle to be closed for a new one, at the limit of connections.
    static let spare = TimeAmount.milliseconds(250)
    /// How many unanswered requests there may be before no more are parsed.
    static let pipelined = 8
    /// How many bytes the heads of unanswered requests may have. A head takes several times its bytes in
    /// memory until it is answered.
    static let pipelinedHeads = 4 * 1024
    /// How many bytes of unparsed requests there may be when a client ends its side, and how many bytes after
    /// the last request. With more the connection is closed.
    static let ahead = 256 * 1024
    /// The most bytes to read at once: an open connection keeps a buffer of this size.
    static let received = 4 * 1024
    /// How many bytes of responses may wait for the client before the next one waits.
    static let unsent = ChannelOptions.Types.WriteBufferWaterMark(low: 8 * 1024, high: 16 * 1024)
}
