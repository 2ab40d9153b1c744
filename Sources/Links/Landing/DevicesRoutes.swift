import Graph
import HTTPTypes
package import Hummingbird
package import Kernel
import NIOCore
import Visits
import Web

/// The route `/dev/devices`, which only `kith dev` serves.
package struct DevicesRoutes {
    package let landing: LandingRoutes
    package let page: DevicesPages

    package init(landing: LandingRoutes, page: DevicesPages) {
        self.landing = landing
        self.page = page
    }

    /// The user whose link is opened.
    private static let inviter = User.Profile(
        uid: User.UID(stored: "demo-hanako"), username: "hanako", displayName: nil)

    /// `GET /dev/devices?agent={User-Agent}` shows what this browser and some others get when they open an
    /// invite. It reads no user's data.
    @Sendable package func show(_ request: Request, context: AppContext) async throws -> Response {
        let pasted = try request.query.submitted("agent")
        let agent = pasted ?? request.headers[.userAgent] ?? ""
        let device = Device(UserAgent(agent))
        let name = pasted == nil ? "This browser" : "The user agent above"
        let platform: AppPlatform? = device.system == .iOS ? .ios : device.system == .android ? .android : nil
        let visitors = [SampleVisitor(name, on: platform, agent)] + SampleVisitor.all
        let html = page.html(visitors.map(visit), agent: agent)
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: page.templates.contentSecurityPolicy, .referrerPolicy: "no-referrer",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    private func visit(_ visitor: SampleVisitor) -> DevicesPages.Visit {
        let request = Request(
            head: HTTPRequest(
                method: .get, scheme: nil, authority: nil, path: "/",
                headerFields: [.userAgent: visitor.agent]), body: .init(buffer: ByteBuffer()))
        return DevicesPages.Visit(
            visitor: visitor, page: landing.page(Self.inviter, .friends, nil, friends: nil, request))
    }
}

extension Query {
    /// Returns a text as a form sends it, in one line.
    func submitted(_ key: String) throws(Problem) -> String? {
        guard let encoded = try encoded(key), !encoded.isEmpty else { return nil }
        guard let text = PercentEncoding.decode(encoded.map { $0 == UInt8(ascii: "+") ? 32 : $0 }) else {
            throw .invalid(key, "is not percent-encoded UTF-8 text")
        }
        return text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
