import HTTPTypes
import Kernel
import Web

/// Why a stream is not opened.
enum StreamError: ProblemError {
    case tooManyOfAddress, tooManyOfServer

    var problem: Problem {
        switch self {
        case .tooManyOfAddress:
            Problem(
                .tooManyRequests, "too_many_streams",
                "Too many streams are open from this address. Ask `GET /v1/me/changes` meanwhile.",
                retryAfter: 60)
        case .tooManyOfServer:
            Problem(
                .serviceUnavailable, "too_many_streams",
                "Too many streams are open here. Ask `GET /v1/me/changes` meanwhile.", retryAfter: 60)
        }
    }
}
