import HTTPTypes
package import Hummingbird
import NIOCore
import Web

/// Serves the association files to Apple's and Google's servers, which follow no redirect.
package struct AssociationRoutes {
    package let files: AssociationFiles

    package init(files: AssociationFiles) {
        self.files = files
    }

    /// `GET /.well-known/apple-app-site-association`, and `/apple-app-site-association` for systems before
    /// iOS 9.3. Answers 404 without an app for iOS.
    @Sendable package func apple(_ request: Request, context: AppContext) throws -> Response {
        try answer(files.apple, request)
    }

    /// `GET /.well-known/assetlinks.json`. Answers 404 without an app for Android.
    @Sendable package func android(_ request: Request, context: AppContext) throws -> Response {
        try answer(files.android, request)
    }

    private func answer(_ file: AssociationFiles.File?, _ request: Request) throws -> Response {
        guard let file else { throw Problem.notFound() }
        let headers: HTTPFields = [
            .contentType: "application/json", .eTag: file.tag, .cacheControl: "public, max-age=3600",
        ]
        if request.has(file.tag) { return Response(status: .notModified, headers: headers) }
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
    }
}
