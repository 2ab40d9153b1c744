/// PostgreSQL's built-in types that the driver reads or writes (`pg_type.dat`).
enum OID {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let oid: UInt32 = 26
    static let json: UInt32 = 114
    static let float4: UInt32 = 700
    static let float8: UInt32 = 701
    static let unknown: UInt32 = 705
    static let bpchar: UInt32 = 1042
    static let varchar: UInt32 = 1043
    static let timestamp: UInt32 = 1114
    static let timestamptz: UInt32 = 1184
    static let uuid: UInt32 = 2950
    static let jsonb: UInt32 = 3802

    /// Returns the type of an array of `element`. For types not listed it is 0, with which the server infers
    /// the type.
    static func array(of element: UInt32) -> UInt32 {
        switch element {
        case bool: 1000
        case bytea: 1001
        case int2: 1005
        case int4: 1007
        case text: 1009
        case int8: 1016
        case float8: 1022
        case timestamptz: 1185
        case uuid: 2951
        default: 0
        }
    }
}
