// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginChecker

/// The results of `plugin check` as JUnit XML, which continuous integration displays: a suite per manifest, a case per
/// check.
struct JUnitDocument {
    let report: CheckReport

    var text: String {
        let suites = report.manifests.map(suite).joined()
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\(suites)</testsuites>\n"
    }

    private func suite(_ manifest: ManifestReport) -> String {
        let cases =
            manifest.results.map { result in
                let reason = result.reason ?? ""
                return Self.testCase(
                    result.check.rawValue,
                    isFailure: result.outcome == .fail,
                    isSkipped: result.outcome == .skip || result.outcome == .excluded,
                    result.outcome == .fail ? result.findings.map { "\($0.message); \($0.remedy)" } : [reason]
                )
            }
            + manifest.trials.map { trial in
                Self.testCase(
                    trial.check,
                    isFailure: trial.outcome.isFailure || trial.outcome == .checkerError,
                    isSkipped: trial.outcome == .skip || trial.outcome == .excluded,
                    trial.seen + [trial.reason, trial.remedy].compactMap(\.self)
                )
            }
        let failures = cases.count { $0.contains("<failure") }
        let skipped = cases.count { $0.contains("<skipped") }
        let seed =
            report.seed.map { "    <properties><property name=\"seed\" value=\"\($0)\"/></properties>\n" } ?? ""
        let name = Self.escaped(manifest.identifier ?? manifest.manifest)
        return "  <testsuite name=\"\(name)\" tests=\"\(cases.count)\" failures=\"\(failures)\""
            + " skipped=\"\(skipped)\">\n\(seed)\(cases.joined())"
            + "  </testsuite>\n"
    }

    private static func testCase(_ name: String, isFailure: Bool, isSkipped: Bool, _ lines: [String]) -> String {
        let message = escaped(lines.joined(separator: "; "))
        let body =
            isFailure
            ? "<failure message=\"\(message)\"/>" : isSkipped ? "<skipped message=\"\(message)\"/>" : ""
        return "    <testcase classname=\"bgtask\" name=\"\(escaped(name))\">\(body)</testcase>\n"
    }

    /// The text for XML: markup is escaped, line feeds and tabs become spaces, and characters that XML forbids are left
    /// out.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\n", "\t": escaped += " "
            default:
                if scalar.value >= 32, scalar.value != 0xfffe, scalar.value != 0xffff {
                    escaped.unicodeScalars.append(scalar)
                }
            }
        }
        return escaped
    }
}
