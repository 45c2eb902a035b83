// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@Suite("The header states each ABI rule that a source or a page cites")
struct RuleTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardizedFileURL

    @Test func `each ABI rule has one paragraph in the header, in the order of the numbers`() throws {
        let stated = try Header.text().matches(of: /\n \* (BGT-ABI-[0-9]{2})  \S/).map { String($0.1) }
        #expect(stated == ABIRule.allCases.map(\.rawValue))
    }

    @Test(arguments: ["SDK", "Sources", "Documentation", "Plugins", "Tests"])
    func `each ABI rule that a source or a page cites is stated in the header`(folder: String) throws {
        let stated = Set(ABIRule.allCases.map(\.rawValue))
        let directory = Self.root.appending(path: folder)
        let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
        var cited: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard ["swift", "h", "c", "cpp", "md", "yaml"].contains(file.pathExtension),
                let text = try? String(contentsOf: file, encoding: .utf8)
            else { continue }
            let foreign = text.matches(of: /BGT-ABI-[0-9]{2}/).map { String($0.0) }.filter { !stated.contains($0) }
            #expect(foreign.isEmpty, "\(file.path) cites \(foreign); state the rule in bgtask.h, or cite another one")
            cited.formUnion(text.matches(of: /BGT-ABI-[0-9]{2}/).map { String($0.0) })
        }
        #expect(folder != "Sources" || cited == stated)
    }
}
