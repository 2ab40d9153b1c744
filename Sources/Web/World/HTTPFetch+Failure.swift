import AsyncHTTPClient
import NIOCore
import NIOPosix

extension HTTPFetch {
    /// Why there is no answer, in plain words about the server.
    package enum Failure: Error, Equatable {
        case nameUnknown
        case refused
        case unreachable
        case noTLS
        case late(Duration)
        case tooLarge
        case notHTTP
        case cut
        case notPublic

        static let mostMillisecondsConnecting: Int64 = 1800

        /// Whether no connection was possible, whatever the request.
        package var isOfServer: Bool { [.nameUnknown, .refused, .unreachable, .noTLS].contains(self) }
    }
}

extension HTTPFetch.Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .nameUnknown: "its name cannot be found"
        case .refused: "it refuses connections at this port"
        case .unreachable: "no connection to it within \(Double(Self.mostMillisecondsConnecting) / 1000) s"
        case .noTLS: "it does not speak TLS at this port, or its certificate is not valid for this name"
        case .late(let time): "it has not answered in full within \(time.components.seconds) s"
        case .tooLarge: "its answer is too large"
        case .notHTTP: "the address is neither http nor https"
        case .cut: "it closed the connection, or does not speak HTTP at this port"
        case .notPublic: "it is in a private network, which others cannot reach"
        }
    }
}

extension HTTPFetch.Failure {
    /// What an operator should do next.
    package var advice: String {
        switch self {
        case .nameUnknown: "check its spelling, and that DNS has it"
        case .refused: "start the server, or check the port"
        case .unreachable: "check the address, and the firewalls on the way"
        case .noTLS: "check the certificate, or write http:// for a server without TLS"
        case .late: "find out in the server's log what takes so long"
        case .tooLarge: "send less"
        case .notHTTP: "lead to an https URL"
        case .cut: "check the port, and whether it wants https://"
        case .notPublic: "lead to a host of the Internet"
        }
    }
}

extension HTTPFetch.Failure {
    /// Finds what an error of the client, or of the libraries below it, means.
    package init(_ error: any Error) {
        switch error {
        case let error as Self: self = error
        case let error as NIOConnectionError:
            self = error.connectionErrors.first.map { Self($0.error) } ?? .nameUnknown
        case let error as IOError where error.errnoCode == ECONNREFUSED: self = .refused
        case let error as IOError where [EHOSTUNREACH, ENETUNREACH, ETIMEDOUT].contains(error.errnoCode):
            self = .unreachable
        case ChannelError.connectTimeout: self = .unreachable
        case let error as HTTPClientError where error == .connectTimeout: self = .unreachable
        case let error as HTTPClientError where error == .tlsHandshakeTimeout: self = .noTLS
        case is NIOTooManyBytesError: self = .tooLarge
        // Kith does not depend on the module of these errors, so their names are compared.
        case _ where String(reflecting: type(of: error)).hasPrefix("NIOSSL.NIOSSL"): self = .noTLS
        default: self = .cut
        }
    }
}
