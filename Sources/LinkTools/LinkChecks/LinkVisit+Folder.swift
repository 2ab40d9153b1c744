import Foundation
import Web

extension LinkVisit {
    /// Reads the files of a folder. It may be the root of a host, with `.well-known` in it, or have the files
    /// themselves.
    init(folder: String) {
        let root = URL(filePath: folder)
        func read(_ name: String) -> [UInt8]? {
            (try? Data(contentsOf: root.appending(path: name))).map { Array($0) }
        }
        self.init(source: .folder(folder))
        let isRoot = FileManager.default.fileExists(atPath: root.appending(path: ".well-known").path)
        let prefix = isRoot ? ".well-known/" : ""
        let (apple, android) = ("apple-app-site-association", "assetlinks.json")
        var files = [(AssociationFile.apple, prefix + apple), (.android, prefix + android)]
        if isRoot { files.append((.oldApple, apple)) }
        answers = files.map { file, name in
            let body = read(name)
            return Answer(file: file, address: name, status: body == nil ? 404 : 200, body: body ?? [])
        }
        let wrongName = "\(prefix)\(apple).json"
        if self[.apple]?.isFound == false, read(wrongName) != nil { misnamed = wrongName }
        robots = read("robots.txt").map { RobotsRules(String(decoding: $0, as: UTF8.self)) }
    }
}
