/// The programs of rewards that `kith apply` made true, by their keys.
public struct AppliedRewards: KeyedSection {
    public static let name = "rewards"

    var entries: [String: [String: String]] = [:]

    static let most = 20

    public init() {}

    public var texts: [String: String] { entryTexts }

    static func isList(_ field: String) -> Bool { field == "qualify.purchase.products" }

    /// The programs, by their keys.
    func read() -> (rules: [String: RewardProgram], mistakes: [String]) {
        guard entries.count <= Self.most else {
            return ([:], ["rewards has more than \(Self.most) programs"])
        }
        var (read, mistakes) = ([String: RewardProgram](), [String]())
        for (key, fields) in entries.sorted(by: { $0.key < $1.key }) {
            var reader = RewardProgramReader(key, fields)
            read[key] = reader.program()
            mistakes += reader.fields.mistakes
        }
        return (read, mistakes)
    }
}
