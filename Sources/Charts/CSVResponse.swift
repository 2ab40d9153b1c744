import HTTPTypes
package import Hummingbird
import NIOCore

/// A table as the answer to a call.
package struct CSVResponse: ResponseGenerator {
    let table: CSV

    package init(_ table: CSV) { self.table = table }

    package func response(from request: Request, context: some RequestContext) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(table.name).csv\"",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: table.text)))
    }
}
