import Foundation

/// A strict parser of Prometheus' text format 0.0.4, as far as Kith uses it.
struct PrometheusText {
    struct Mistake: Error {
        let line: String
    }

    private(set) var families: [String: String] = [:]
    /// By name and labels as in the text.
    private(set) var samples: [String: Double] = [:]
    private var buckets: [String: [(bound: Double, count: Double)]] = [:]

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Mistake(line: "the end") }
        var (family, helped) = ("", "")
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        {
            if let match = line.wholeMatch(of: /# HELP ([a-z_:][a-z0-9_:]*) \S.*/) {
                helped = String(match.1)
            } else if let match = line.wholeMatch(of: /# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram)/)
            {
                family = String(match.1)
                guard helped == family, families[family] == nil else { throw Mistake(line: line) }
                families[family] = String(match.2)
            } else {
                try sample(line, of: family)
            }
        }
        try checkHistograms()
    }

    private mutating func sample(_ line: String, of family: String) throws {
        let pattern =
            /([a-z_:][a-z0-9_:]*)((?:\{[a-z_]+="(?:[^"\\\n]|\\[\\"n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\[\\"n])*")*\})?) (\S+)/
        guard let match = line.wholeMatch(of: pattern), let value = Double(match.3),
            let kind = families[family], kind == "gauge" || value >= 0
        else { throw Mistake(line: line) }
        let (name, labels) = (String(match.1), String(match.2))
        let suffixes = kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard suffixes.contains(where: { name == family + $0 }),
            samples.updateValue(value, forKey: name + labels) == nil
        else { throw Mistake(line: line) }
        if name == family + "_bucket" {
            guard let le = labels.firstMatch(of: /,?le="([^"]+)"/),
                let bound = le.1 == "+Inf" ? Double.infinity : Double(le.1)
            else { throw Mistake(line: line) }
            let rest = labels.replacing(le.0, with: "")
            buckets[family + "|" + (rest == "{}" ? "" : rest), default: []].append((bound, value))
        }
    }

    private func checkHistograms() throws {
        for (key, buckets) in buckets {
            let parts = key.split(separator: "|", maxSplits: 1, omittingEmptySubsequences: false)
            let isOrdered = zip(buckets, buckets.dropFirst()).allSatisfy {
                $0.bound < $1.bound && $0.count <= $1.count
            }
            guard isOrdered, buckets.last?.bound == .infinity,
                samples["\(parts[0])_count\(parts[1])"] == buckets.last?.count,
                samples["\(parts[0])_sum\(parts[1])"] != nil
            else { throw Mistake(line: key) }
        }
    }
}
