import HTTPTypes
package import Hummingbird
package import Kernel
import Web

/// The route `/v1/me/export`.
package struct ExportRoutes {
    package let exports: ExportStore
    package let userData: [any UserDataStore.Type]

    package init(exports: ExportStore, userData: [any UserDataStore.Type]) {
        self.exports = exports
        self.userData = userData
    }

    /// `GET /v1/me/export` returns one document with everything that is stored about the caller. It sends
    /// each part as soon as it has read it. If reading fails, it cuts the connection.
    @Sendable package func export(_ request: Request, context: AccountContext) async throws -> Response {
        let user = context.user.id
        guard let account = try await exports.export(user) else { throw Problem.userNotFound }
        return Response(
            status: .ok,
            headers: [
                .contentType: JSON.mediaType, .cacheControl: "no-store",
                .contentDisposition: #"attachment; filename="kith-export.json""#,
            ],
            body: ResponseBody { writer in
                var copy = writer
                let reader = ExportReader(db: exports.db, user: user)
                try await ExportDocument.write(reader) {
                    try await copy.write(ByteBuffer(bytes: $0))
                } members: { document in
                    try document.add(account)
                    for store in userData { try await store.export(into: &document) }
                }
                try await writer.finish(nil)
            })
    }
}
