import Kernel
import Postgres

/// The check that sums hold what `CountParts` and `Sketch` read.
extension TableCheck {
    static let sums = TableCheck(
        table: "counts", home: .text("subject"), countsRows: false,
        invariants: [
            Invariant(
                "sum_unreadable",
                "nobody can read how a sum divides, or who is in it: a repair keeps its count and clears the rest",
                .repair)
        ],
        rows: { within in
            """
            WITH mine AS MATERIALIZED (
                SELECT subject AS home, concat_ws(' ', measure, day, nullif(subject, '')) AS key,
                       \(hasBrokenParts) OR \(hasBrokenMembers) AS sum_unreadable
                FROM counts WHERE \(within("subject")))
            SELECT home, key, sum_unreadable FROM mine
            """
        },
        repairs: { subjects in
            [
                """
                UPDATE counts SET parts = CASE WHEN NOT \(hasBrokenParts) THEN parts END,
                                  members = CASE WHEN NOT \(hasBrokenMembers) THEN members END
                WHERE subject = ANY(\(subjects)::text[]) AND (\(hasBrokenParts) OR \(hasBrokenMembers))
                """
            ]
        })

    /// Not an object of objects of whole numbers. An object that is null has none. Paths, since a cluster
    /// refuses a subquery in a subquery.
    private static let hasBrokenParts: Statement = """
        CASE jsonb_typeof(parts)
            WHEN 'object' THEN
                jsonb_path_exists(parts, 'strict $.* ? (@.type() != "object" && @.type() != "null")')
                OR jsonb_path_exists(parts, 'strict $.* ? (@.type() == "object").* ? (@.type() != "number" || @ < 0 || @ > 999999999999999 || @.floor() != @)')
            ELSE parts IS NOT NULL END
        """

    /// Neither a 0 and hashes of eight bytes, nor a 1 and 2^14 registers up to 51.
    private static let hasBrokenMembers: Statement = """
        CASE WHEN octet_length(members) > 0
             THEN NOT (get_byte(members, 0) = 0 AND octet_length(members) % 8 = 1
                       OR get_byte(members, 0) = 1 AND octet_length(members) = 16385
                          AND encode(members, 'hex') ~ '^01([0-2][0-9a-f]|3[0-3])*$')
             ELSE members IS NOT NULL END
        """
}
