// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Foundation
import HostConditions
import TaskModel
import Testing

@Suite("Documentation has an entry for every key, reason, event and status")
struct DocumentationTests {
    @Test(arguments: ["Reasons", "Journal", "Statuses", "Manifest", "Configuration"])
    func `each entry of a documentation page has a name, a meaning and no empty cell`(name: String) throws {
        let page = try DocumentationPage(name)
        #expect(page.entries.count > 20)
        #expect(page.incomplete == [])
    }

    @Test func `Reasons.md lists every reason and every policy`() throws {
        let names = try DocumentationPage("Reasons").names(after: "")
        let policies = Set(names.filter { $0.hasPrefix("policy-") }.map { String($0.dropFirst("policy-".count)) })
        let reasons = Set(ReasonKind.allCases.map(\.row.code))
        #expect(reasons.count >= 28)
        let documented = names.subtracting(policies.map { "policy-\($0)" })
        #expect(documented == reasons, "\(Self.rowsToCorrect(documented, reasons))")
        let known = try Repository.cases(of: "Policy", in: "Sources/Scheduling/Policies/Policy.swift")
        #expect(policies == known, "\(Self.rowsToCorrect(policies, known))")
    }

    @Test func `Journal.md lists every event and every blame`() throws {
        let names = try DocumentationPage("Journal").names(after: "")
        let blames = Blame.allCases.map { "blame-\($0.rawValue)" }
        let known = Set(JournalEntry.Event.allCases.map(\.name) + blames)
        #expect(names == known, "\(Self.rowsToCorrect(names, known))")
    }

    @Test func `the list of journal events has every case of the enumeration`() throws {
        let source = try Repository.text(of: "Sources/TaskModel/JournalEntry.swift")
        let start = try #require(source.firstRange(of: "enum Event:")?.upperBound)
        let declared = source[start...].prefix { $0 != "}" }.matches(of: /\n +case (\w+)/).map { String($0.1) }
        let listed = Set(JournalEntry.Event.allCases.map { "\($0)".prefix { $0 != "(" } })
        #expect(declared.count >= 19 && Set(declared) == Set(listed.map(String.init)))
    }

    @Test func `Vendors.md has a row with text for every rule of the ABI`() throws {
        let text = try Repository.text(of: "Documentation/Vendors.md")
        let rows = text.matches(of: /\| <a id="([a-z0-9-]+)"><\/a>(BGT-ABI-[0-9]+) \| \S/)
        #expect(rows.map { String($0.2) } == ABIRule.allCases.map(\.rawValue))
        #expect(rows.allSatisfy { $0.1.uppercased() == $0.2 })
    }

    @Test func `Statuses.md lists every status and expiration reason of the header with its value`() throws {
        let page = try DocumentationPage("Statuses")
        let number = /#define (BGT_(?!OUTCOME_)[A-Z_]+) ([0-9]+)(u?)\b/
        let defined = try Repository.text(of: "SDK/Sources/CBackgroundTasks/include/bgtask.h").matches(of: number)
            .filter { $0.3.isEmpty || $0.1.hasPrefix("BGT_EXPIRED_") }
            .map { (name: $0.1.lowercased(), value: String($0.2)) }
        #expect(defined.count >= 27)
        for (name, value) in defined {
            #expect(page.entries[name]?.dropFirst().first == value, "\(name)")
            if let status = Int32(value), name.contains("_expired_") == false {
                #expect("\(ABIVocabulary.status.name(of: Int64(status)))" == name.uppercased(), "\(name)")
            }
        }
        #expect(page.names(after: "bgt_") == Set(defined.map { String($0.name.dropFirst("bgt_".count)) }))
    }

    @Test func `ControlAPI.md lists every route under its role`() throws {
        let page = try Repository.text(of: "Documentation/ControlAPI.md")
        for role in ControlRole.allCases {
            let row = try #require(page.split(separator: "\n").first { $0.contains("id=\"role-\(role.rawValue)\"") })
            let routes = row.matches(of: /`([A-Z]+ \/[^`]+)`/).map { String($0.1) }
            #expect(Set(routes) == Set(Route.allCases.filter { $0.role == role }.map(\.description)), "\(role)")
        }
    }

    @Test func `Statuses.md lists every code and sub-reason of a refusal`() throws {
        let page = try DocumentationPage("Statuses")
        for reason in SubmissionRefusal.SubReason.allCases {
            #expect(page.entries[reason.name]?.dropFirst().first == "\(reason.rawValue)", "\(reason.name)")
        }
        for code in RouteError.Code.allCases {
            let expected = RouteError.SubReason.allCases.filter { $0.code == code }.map { "`\($0.rawValue)`" }
            #expect(page.entries[code.rawValue]?.last == expected.joined(separator: ", "), "\(code.rawValue)")
            #expect(page.entries[code.rawValue]?.dropFirst().first == "\(code.status)")
        }
        let names = SubmissionRefusal.SubReason.allCases.map(\.name) + RouteError.Code.allCases.map(\.rawValue)
        #expect(page.names(after: "").filter { !$0.hasPrefix("bgt_") } == Set(names))
    }

    @Test func `Manifest.md lists every key, mode, entitlement, argument and result`() throws {
        let page = try DocumentationPage("Manifest")
        let parts = ["argument-", "result-"]
        let keys = page.names(after: "").filter { name in !parts.contains { name.hasPrefix($0) } }
        let known = try Repository.cases(of: "ManifestKey", in: "Sources/PluginCatalogue/Manifest/ManifestKey.swift")
        #expect(known.count >= 20)
        let documented = Set(keys.map(Self.lastPart(of:)))
        #expect(documented == known, "\(Self.rowsToCorrect(documented, known))")
        #expect(page.names(after: "argument-") == Set(FunctionArgument.Kind.allCases.map(\.rawValue)))
        #expect(page.names(after: "result-") == Set(FunctionResult.Kind.allCases.map(\.rawValue)))
        for mode in BackgroundMode.allCases {
            #expect(page.entries["background-modes"]?[1].contains("`\(mode.rawValue)`") == true)
        }
        for entitlement in Entitlement.allCases {
            #expect(page.entries["grants-\(entitlement.rawValue)"] != nil)
        }
        for rule in FunctionResult.SuccessRule.allCases {
            #expect(page.entries["result-int32"]?[1].contains("`\(rule.rawValue)`") == true)
        }
    }

    @Test func `Manifest.md lists every feature that a manifest may require, and every supported architecture`() throws
    {
        let text = try Repository.text(of: "Documentation/Manifest.md")
        let rows = text.matches(of: /\n\| `([a-z]+\.[a-z\/0-9-]+)` \| \S/).map { String($0.1) }
        #expect(rows == HostFeatures.all)
        for name in ArchitectureName.supported { #expect(text.contains("`\(name)`"), "\(name)") }
    }

    @Test func `Configuration.md lists every key of the configuration file, and every condition`() throws {
        let page = try DocumentationPage("Configuration")
        let files = ["", "+Grants", "+Isolation", "+Policies", "+Reading", "+Retries"]
        let known = try Repository.keys(
            askedIn: files.map { "Sources/HostConfiguration/HostConfiguration\($0).swift" }
                + ["Sources/HostConfiguration/Secrets/SecretSource.swift"]
        ).union(ConditionThresholds.rows.map(\.key)).union(["conditions", "sensors"])
        let conditions = Set(Condition.allCases.map { Repository.dashed("\($0)") })
        #expect(known.count >= 60)
        #expect(page.names(after: "conditions-") == conditions)
        // The name in the row is the key's path; the anchor is the same path with dashes.
        let keys = page.entries.filter { !$0.key.hasPrefix("conditions-") }.values.map { row in
            row[0].trimmingCharacters(in: ["`"]).split(separator: ".").last.map(String.init) ?? row[0]
        }
        #expect(Set(keys) == known, "\(Self.rowsToCorrect(Set(keys), known))")
        for policy in try Repository.cases(of: "Policy", in: "Sources/Scheduling/Policies/Policy.swift") {
            #expect(page.entries["policies-off"]?.joined().contains("`\(policy)`") == true, "\(policy)")
        }
    }

    @Test(arguments: [
        "Documentation/Configuration.md", "Demo/run", "Tests/Torture/host.py",
        "Benchmarks/Sources/HostAtSize/Floods.swift",
        "Benchmarks/Sources/Measuring/Population.swift",
    ])
    func `the conditions in sample configurations of documentation, demo, torture and benchmarks are complete`(
        path: String
    ) throws {
        let lists = try Repository.text(of: path).matches(of: /external-power: (?:true|false), network: [^}]*/)
        #expect(!lists.isEmpty)
        for list in lists {
            for condition in Condition.allCases {
                #expect(" \(list.0)".contains(" \(condition.name): "), "\(condition.name)")
            }
        }
    }

    /// The rows that differ between a page and the sources, with the remedy.
    private static func rowsToCorrect(_ documented: Set<String>, _ known: Set<String>) -> String {
        "add rows: \(known.subtracting(documented).sorted()); remove rows: \(documented.subtracting(known).sorted())"
    }

    /// The last part of an anchor, which is the key: `read` for `grants-read`, `symbol` for `handlers-symbol`.
    private static func lastPart(of anchor: String) -> String {
        let mappings = ["retry-", "limits-", "grants-network-", "grants-", "handlers-"]
        return mappings.first { anchor.hasPrefix($0) }.map { String(anchor.dropFirst($0.count)) } ?? anchor
    }
}
