// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import PluginChecker
import PluginConformance
import TaskModel
import Testing

@Suite("Documentation/Conformance.md lists every rule, check and defective plugin")
struct ConformancePageTests {
    /// The rules that no check of a plugin can prove, with the reason.
    private static let unchecked: [ABIRule: String] = [
        .completeHostTable: "a promise of the host",
        .oneRelease: "a promise of the host",
        .noControlCalls: "needs a host: the sandbox closes its socket",
    ]

    private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Documentation/Conformance.md")

    /// The generated part of the page: one row per check with its defective inputs, then one row per rule.
    private func tables() throws -> String {
        let fixtures = try ConformanceFixture.all()
        var text = "| check | level | rule | promise | defective plugin |\n|---|---|---|---|---|\n"
        for check in PluginCheck.allCases {
            let defects = StaticFixture.all.filter { $0.check == check.rawValue }.map(\.defect)
            text +=
                "| `\(check.rawValue)` | 0 | \(check.rule) | \(check.promise) | \(defects.joined(separator: ", ")) |\n"
        }
        for check in ConformanceCheck.all {
            let names = fixtures.filter { ($0.failing ?? $0.warning) == check.name }.map { "`\($0.source)`" }
            text +=
                "| `\(check.name)` | \(check.level) | \(check.rule.name) | \(check.promise) |"
                + " \(names.joined(separator: ", ")) |\n"
        }
        text += "\n| rule | checks |\n|---|---|\n"
        for rule in ABIRule.allCases {
            let checks = checks(of: rule).map { "`\($0)`" }.joined(separator: ", ")
            text += "| \(rule.rawValue) | \(checks.isEmpty ? Self.unchecked[rule] ?? "" : checks) |\n"
        }
        return text
    }

    private func checks(of rule: ABIRule) -> [String] {
        PluginCheck.allCases.filter { $0.rule == rule.rawValue }.map(\.rawValue)
            + ConformanceCheck.all.filter { $0.rule == .abi(rule) }.map(\.name)
    }

    @Test func `the tables of Documentation/Conformance.md equal those generated from the checks`() throws {
        let written = try String(contentsOf: Self.page, encoding: .utf8)
        let (start, end) = ("<!-- checks -->\n", "<!-- /checks -->")
        let first = try #require(written.range(of: start))
        let last = try #require(written.range(of: end))
        let text = written[..<first.upperBound] + (try tables()) + written[last.lowerBound...]
        if ProcessInfo.processInfo.environment["BGTASK_RENEW"] == "1" {
            try String(text).write(to: Self.page, atomically: true, encoding: .utf8)
        } else {
            #expect(
                String(text) == written,
                "write it with: BGTASK_RENEW=1 swift test --filter ConformancePageTests"
            )
        }
    }

    @Test func `every ABI rule has either a check or a reason why no check of a plugin can prove it`() {
        for rule in ABIRule.allCases {
            #expect(checks(of: rule).isEmpty == (Self.unchecked[rule] != nil), "\(rule.rawValue)")
        }
    }

    @Test
    func `every conformance check is named by a defective plugin, and every check named there exists`()
        throws
    {
        let marked = Set(try ConformanceFixture.all().compactMap { $0.failing ?? $0.warning })
        #expect(Set(ConformanceCheck.all.map(\.name)) == marked)
    }

    @Test func `every check of level 0 has files with one defect, and every check named there exists`() {
        #expect(Set(PluginCheck.allCases.map(\.rawValue)) == Set(StaticFixture.all.map(\.check)))
    }
}
