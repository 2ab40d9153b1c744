import NIOCore

/// How long a client may take, and how much it may send, on one connection.
struct ConnectionLimits: Sendable {
    /// From the first byte of a request's head to its end.
    var head: TimeAmount = .seconds(10)
    /// From the end of the head to the end of the body.
    var body: TimeAmount = .seconds(30)
    /// In which a client takes at least `sip` of what is there for it.
    var stall: TimeAmount = .seconds(30)
    /// Between two requests.
    var idle: TimeAmount = .seconds(60)
    /// After the last answer, for the client to take it before the connection is gone.
    var leaving: TimeAmount = .seconds(2)
    /// The same for those that have no place, which others may want.
    var turnedAway: TimeAmount = .milliseconds(250)
    /// How often the above is looked at, if nothing is due earlier.
    var beat: TimeAmount = .seconds(10)

    /// Of one header, its name and value; of the request line, too.
    static let field = 16 * 1024
    /// Of all headers.
    static let fields = 32 * 1024
    static let fieldCount = 100
    /// So much of a body is read, and forgotten, after it was refused; with more to come the connection is closed.
    static let unread = 64 * 1024
    static let sip = 16 * 1024
    /// A connection idle for so long makes room for another, if there are as many as may be.
    static let spare = TimeAmount.milliseconds(250)
    /// If so many requests wait for their answers, no more are parsed until one is answered.
    static let pipelined = 8
    /// Nor if their heads have so many bytes: a head takes several times its bytes until it is answered.
    static let pipelinedHeads = 4 * 1024
    /// Of requests not parsed yet; a client that ends its side with more behind it is cut off. Also of what comes after the
    /// last request.
    static let ahead = 256 * 1024
    /// Read from a connection at once, at most: it keeps as much for its next bytes, as long as it is open.
    static let received = 4 * 1024
    /// Of answers, that the client has not taken yet; the next waits.
    static let unsent = ChannelOptions.Types.WriteBufferWaterMark(low: 8 * 1024, high: 16 * 1024)
}
