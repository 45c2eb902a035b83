// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import StatementTraits
import Testing

@Suite("The Swift modules give code of Apple's platforms no warnings of their own", .proves(84, "C25"))
struct DeprecationTests {
    private static let mark = "@available(*, deprecated"

    @Test func `the interval of legacy fetch alone is deprecated, in favour of refresh requests`() throws {
        var found: [(mark: String, declaration: String)] = []
        for file in try SwiftSource.files(below: "SDK/Sources") {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
            for (index, line) in lines.enumerated() where line.contains(Self.mark) {
                let declaration = lines[index...].first { $0.contains(/\b(?:func|var|let|init|struct|class|enum)\b/) }
                found.append((line, declaration ?? ""))
            }
        }
        #expect(found.count == 1)
        let only = try #require(found.first)
        #expect(only.declaration.contains("static func setMinimumBackgroundFetchInterval(_ interval: TimeInterval)"))
        #expect(only.mark.contains("BGAppRefreshTaskRequest"))
    }
}
