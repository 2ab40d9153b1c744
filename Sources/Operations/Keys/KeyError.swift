import Kernel
import Web

/// Why a key is not revoked.
enum KeyError: ProblemError {
    case unknown

    var problem: Problem {
        .notFound("key_not_found", "There is no such key, or it is revoked.")
    }
}
