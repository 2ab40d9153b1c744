import Foundation

/// `KITH_ACCESS_LOG=json`: a line for each answer. It has the route's template and no part of the URL, so
/// neither uids, names, codes nor values of queries.
package struct AccessLog: Sendable {
    /// Takes a line with its line break.
    let write: @Sendable (String) -> Void

    package init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// An answered request; `request` is nil if it could not be read, `bytes` if the body is sent part by
    /// part.
    package func note(_ id: String, _ request: AnsweredRequest?, status: Int, bytes: Int?) {
        var fields: [String] = []
        if let bytes { fields.append(#""bytes":\#(bytes)"#) }
        if let request { fields.append(#""credentials":"\#(request.credentials)""#) }
        fields.append(#""level":"info","message":"answered""#)
        if let request {
            fields.append(
                #""method":"\#(request.method)","milliseconds":\#(Self.milliseconds(request.duration))"#)
        }
        fields.append(#""requestId":"\#(id)""#)
        if let request { fields.append(#""route":"\#(request.route)""#) }
        fields.append(#""status":\#(status),"time":"\#(JSON.timestamp(Date()))""#)
        write("{\(fields.joined(separator: ","))}\n")
    }

    package struct AnsweredRequest {
        var method: String
        var route: String
        var credentials: Credentials
        var duration: Duration

        package init(method: String, route: String, credentials: Credentials, duration: Duration) {
            self.method = method
            self.route = route
            self.credentials = credentials
            self.duration = duration
        }
    }

    /// What the caller sent, whether it is valid or not; `other` if it is no bearer token.
    package enum Credentials: String {
        case none, token, key, other
    }

    /// Returns milliseconds with three digits behind the point.
    private static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let micro = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let rest = String(micro % 1000)
        return "\(micro / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
    }
}
