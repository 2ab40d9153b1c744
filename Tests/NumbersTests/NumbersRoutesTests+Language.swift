import HTTPTypes
import TestSupport
import Testing

@testable import AppTesting
@testable import Kith
@testable import Numbers

/// In which language the list of measures tells of them.
extension NumbersRoutesTests {
    @Test func `what one of each measure is stands in the list, in the caller's language`() async throws {
        try await run { app, viewer in
            var answers: [TestApp.Answer] = []
            for language in ["en", "ja"] {
                answers.append(try await app.get("/v1/admin/numbers?hl=\(language)", headers: viewer))
            }
            let summaries = answers.map { answer in
                (answer.objects("measures") + answer.objects("funnels")).compactMap {
                    $0["summary"] as? String
                }
            }
            #expect(summaries[0].count == Measure.all.count + 1 && summaries[1].count == summaries[0].count)
            for (english, japanese) in zip(summaries[0], summaries[1]) {
                #expect(english.hasSuffix(".") && japanese.hasSuffix("。"), "\(english): \(japanese)")
            }
        }
    }
}
