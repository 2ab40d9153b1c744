import Foundation
import Testing

@testable import Kernel
@testable import Web

/// Times in tokens that no calendar has: anybody can send one, without a signature.
@Suite struct TokenTimeTests {
    @Test(arguments: ["1e13", "1e300", "1.7e308", "253402300800"])
    func `a time beyond the year 9999 is read as its end`(time: String) throws {
        let data = Data("{\"iat\":\(time)}".utf8)
        let claims = try JSONDecoder().decode([String: TokenClaims.NumericDate].self, from: data)
        #expect(try JSON.timestamp(#require(claims["iat"]).date) == "9999-12-31T23:59:59.000Z")
    }

    @Test(arguments: [1e300, -1e300, .infinity])
    func `a time that no calendar has is written as the nearest`(seconds: Double) {
        let text = JSON.timestamp(Date(timeIntervalSince1970: seconds))
        #expect(text == (seconds > 0 ? "9999-12-31T23:59:59.000Z" : "0000-01-01T00:00:00.000Z"))
    }
}
