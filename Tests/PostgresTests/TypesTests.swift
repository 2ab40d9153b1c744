import Foundation
import Postgres
import TestSupport
import Testing

@Suite(.inTurns) struct TypesTests {
    @Test func `every type is read as it was sent`() async throws {
        try await Server.withDatabase { (database) async throws in
            func same<T: PostgresEncodable & PostgresDecodable & Equatable>(_ values: T..., type: String)
                async throws
            {
                for value in values {
                    let sql: Statement = "SELECT \(value), NULL::text"
                    let back = try await database.read.first(sql) { row in
                        let back = try row.next(as: T.self)
                        #expect(try row.next(as: String?.self) == nil)
                        return back
                    }
                    #expect(back == value, "\(type)")
                }
            }
            try await same(
                "", "x", "'; DROP TABLE t --", "😀 é", String(repeating: "å", count: 500_000), type: "text")
            try await same(0, -1, Int.max, Int.min, type: "int8")
            try await same(Int32.max, Int32.min, type: "int4")
            try await same(Int16.max, Int16.min, type: "int2")
            try await same(true, false, type: "bool")
            try await same(0.1, -.infinity, 1e300, type: "float8")
            try await same(UUID(), type: "uuid")
            try await same([UInt8](), [0, 255, 0], type: "bytea")
            try await same([String](), ["", "a\"b,{}"], type: "text[]")
            try await same([Int](), [1, -2], type: "int8[]")
            try await same([UUID()], type: "uuid[]")
            try await same(Optional<Int>.none, 3, type: "int8?")
            try await same(Optional<String>.none, "", type: "text?")
            try await same(
                Date(timeIntervalSinceReferenceDate: 0), .distantPast, .distantFuture, type: "timestamptz")
        }
    }

    @Test(arguments: [0, -31_622_400, -31_622_400.000001, -6e9 + 0.123456, 8e8 + 0.999999, 1e10])
    func `a date keeps its microseconds, even before 2000`(seconds: Double) async throws {
        try await Server.withDatabase { (database) async throws in
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            let row = try await database.read.first(
                "SELECT \(date), (extract(epoch FROM \(date)) * 1000000)::int8"
            ) { (try $0.next(as: Date.self), try $0.next(as: Int.self)) }
            let (back, text) = try #require(row)
            #expect(abs(back.timeIntervalSince(date)) < 1e-6)
            #expect(text == Int(((seconds + 978_307_200) * 1e6).rounded()))
        }
    }

    @Test func `an Int reads every integer type, a String every text type`() async throws {
        try await Server.withDatabase { (database) async throws in
            let row = try await database.read.first(
                """
                SELECT 1::int2, 2::int4, 3::int8, 'a'::varchar, 'b'::name, '"c"'::json, '"d"'::jsonb, 'e', 1.5::float4,
                    'f'::char(1), ARRAY['g', NULL]
                """
            ) { row in
                let numbers = [try row.next(as: Int.self), try row.next(), try row.next()]
                let texts = [
                    try row.next(as: String.self), try row.next(), try row.next(), try row.next(),
                    try row.next(),
                ]
                return "\(numbers) \(texts) \(try row.next(as: Double.self)) \(try row.next(as: String.self))"
            }
            #expect(row == #"[1, 2, 3] ["a", "b", "\"c\"", "\"d\"", "e"] 1.5 f"#)
        }
    }

    @Test(arguments: [
        ("SELECT NULL::int8 AS score", "NULL instead of Int"),
        ("SELECT 1.5::numeric AS score", "type 1700 instead of Int"),
        ("SELECT 'x' AS score", "type 25 instead of Int"),
    ])
    func `a value that is not an Int is an error that names the column`(sql: String, reason: String)
        async throws
    {
        try await Server.withDatabase { (database) async throws in
            let error = await failure {
                try await database.read.query(Statement(text: sql)) { try $0.next(as: Int.self) }
            }
            guard case .decoding(column: "score", reason) = error else {
                Issue.record("\(String(reflecting: error))")
                return
            }
        }
    }

    @Test func `a value is never part of the SQL, nor of an error's description`() async throws {
        try await Server.withDatabase { (database) async throws in
            let evil = "'); DROP TABLE notes; --"
            let statement: Statement = "INSERT INTO notes VALUES (\(evil))"
            #expect(statement.sql == "INSERT INTO notes VALUES ($1)")
            try await database.write.run("CREATE TABLE notes (body text UNIQUE)")
            #expect(try await database.write.run(statement) == 1)
            let error = await failure { try await database.write.run(statement) }
            #expect(error?.sqlState == "23505")
            #expect(error.map { "\($0)" } == "database error 23505")
            #expect(error.map { String(reflecting: $0).contains("DROP TABLE") } == true)
        }
    }

    @Test func `a typed id, or nil, binds and decodes as its raw value`() async throws {
        struct Name: RawRepresentable, PostgresEncodable, PostgresDecodable, PostgresArrayElement, Equatable {
            var rawValue: String
        }
        try await Server.withDatabase { (database) async throws in
            let name: Name? = Name(rawValue: "ada")
            let absent: Name? = nil
            let names = [Name(rawValue: "b"), Name(rawValue: "c")]
            let back = try await database.read.first("SELECT \(name), \(absent), \(names)") {
                (try $0.next(as: Name.self), try $0.next(as: Name?.self), try $0.next(as: [Name].self))
            }
            #expect(back?.0 == name && back?.1 == nil && back?.2 == names)
            let bytes = await failure { try await database.read.run("SELECT \("a\0b")") }
            #expect(bytes?.sqlState == "22021")
        }
    }
}
