import HTTPTypes
package import Hummingbird
import NIOCore
package import Web

/// An error in the form of Google's APIs (https://cloud.google.com/apis/design/errors): `{"error": {"code":
/// 400, …}}`.
package struct FirebaseErrorResponse: Encodable {
    let error: Body

    struct Body: Encodable {
        let code: Int
        let message: String
        let status: String
    }

    private init(_ problem: Problem, _ path: String?) {
        error = Body(
            code: problem.status.code, message: Self.message(of: problem, path),
            status: Self.name(of: problem.status))
    }

    /// - Parameter path: the template of the path that was called.
    package static func answer(to problem: Problem, at path: String?) -> Response? {
        guard let bytes = try? JSON.data(FirebaseErrorResponse(problem, path)) else { return nil }
        var response = JSON.response(bytes)
        response.status = problem.status
        for field in problem.headerFields { response.headers[field.name] = field.value }
        return response
    }

    /// Returns the message. For keys it is Google's own.
    private static func message(of problem: Problem, _ path: String?) -> String {
        switch problem.code {
        case "unauthenticated": "The request is missing a valid API key."
        case "token_invalid": "API key not valid. Please pass a valid API key."
        case "forbidden":
            "Requests to this API firebasedynamiclinks.googleapis.com method "
                + "google.firebase.dynamiclinks.v1.DynamicLinksService.\(methods[path ?? ""] ?? "") are blocked. "
                + problem.detail
        default: problem.detail
        }
    }

    /// The calls as Google names them in what it tells keys that may not make them.
    private static let methods = [
        "/fdl/v1/shortLinks": "CreateShortDynamicLink",
        "/fdl/v1/managedShortLinks:create": "CreateManagedShortLink",
        "/fdl/v1/{dynamicLink}/linkStats": "GetLinkStats",
        "/fdl/v1/installAttribution": "GetIosPostInstallAttribution",
        "/fdl/v1/reopenAttribution": "GetIosReopenAttribution",
    ]

    /// Returns the name of the status in `google.rpc.Code`.
    private static func name(of status: HTTPResponse.Status) -> String {
        switch status {
        case .unauthorized: "UNAUTHENTICATED"
        case .forbidden: "PERMISSION_DENIED"
        case .notFound, .gone: "NOT_FOUND"
        case .methodNotAllowed, .notImplemented: "UNIMPLEMENTED"
        case .requestTimeout: "DEADLINE_EXCEEDED"
        case .conflict: "ALREADY_EXISTS"
        case .tooManyRequests: "RESOURCE_EXHAUSTED"
        case .serviceUnavailable: "UNAVAILABLE"
        case _ where status.kind == .serverError: "INTERNAL"
        default: "INVALID_ARGUMENT"
        }
    }
}
