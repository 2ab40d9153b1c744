import NIOCore
import Synchronization

/// How long a client may take, and how much it may send, on one connection.
struct ConnectionLimits: Sendable {
    /// From the first byte of a request's head to its end.
    var head: TimeAmount = .seconds(10)
    /// From the end of the head to the end of the body.
    var body: TimeAmount = .seconds(30)
    /// Without one byte of an answer taken by the client.
    var stall: TimeAmount = .seconds(30)
    /// Between two requests.
    var idle: TimeAmount = .seconds(60)
    /// After the last answer, for the client to take it before the connection is gone.
    var leaving: TimeAmount = .seconds(2)
    /// How often the above is looked at, if nothing is due earlier.
    var beat: TimeAmount = .seconds(10)

    /// Of one header, its name and value; of the request line, too.
    static let field = 16 * 1024
    /// Of all headers.
    static let fields = 32 * 1024
    static let fieldCount = 100
    /// So much of a body is read, and forgotten, after it was refused; with more to come the connection is closed.
    static let unread = 64 * 1024
    /// With so many requests waiting for their answers no more are parsed, until one is answered.
    static let pipelined = 8
    /// Of requests not parsed yet; a client that ends its side with more behind it is cut off.
    static let ahead = 256 * 1024
    /// Read from a connection at once, at most: what waits for the rest of a head keeps all of it.
    static let received = 16 * 1024
    /// Of answers, that the client has not taken yet; the next waits.
    static let unsent = ChannelOptions.Types.WriteBufferWaterMark(low: 16 * 1024, high: 32 * 1024)
}

/// How many connections are open, and how many may be.
final class OpenConnections: Sendable {
    let limit: Int
    private let open = Atomic(0)
    private let highest = Atomic(0)

    init(limit: Int) {
        self.limit = limit
    }

    enum Place { case taken, tooMany, farTooMany }

    /// Each must be given back, whatever the answer. Those too many are told so, unless they are far too many.
    func take() -> Place {
        let count = open.add(1, ordering: .relaxed).newValue
        highest.max(count, ordering: .relaxed)
        if count <= limit { return .taken }
        return count <= limit + Self.told(limit) ? .tooMany : .farTooMany
    }

    func giveBack() {
        open.subtract(1, ordering: .relaxed)
    }

    var count: Int { open.load(ordering: .relaxed) }

    /// How many have gone since the most that there were; counts anew from now.
    func goneSinceMost() -> Int {
        let now = count
        return highest.exchange(now, ordering: .relaxed) - now
    }

    /// So many more are answered with 503. The others are closed without a word.
    static func told(_ limit: Int) -> Int { max(4, limit / 16) }
}
