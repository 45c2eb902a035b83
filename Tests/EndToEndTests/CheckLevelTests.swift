// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("bgtask plugin check --level prints, writes and selects the results of all levels")
struct CheckLevelTests {
    /// Runs `bgtask plugin check` with the arguments on a plugin that completes its task twice. The argument `FILE`
    /// stands for the path of a results file, whose text is `junit`; nil if the check wrote no file.
    private func check(_ arguments: String...) async throws -> (run: ProgramRun, junit: String?) {
        try await check(arguments)
    }

    private func check(_ arguments: [String]) async throws -> (run: ProgramRun, junit: String?) {
        try await ScratchDirectory.with { directory in
            let plugin = TestPlugin("CompletesTwice", tasks: ["task", "slow"])
            try directory.write(try await plugin.libraryBytes(), to: "lib\(plugin.name).so")
            let manifest = try directory.write(plugin.manifest.utf8, to: "\(plugin.name).yaml")
            let run = try await ProgramRun.of(
                BuiltProgram.command.path(),
                ["plugin", "check", manifest] + arguments.map { $0 == "FILE" ? directory.file("results.xml") : $0 }
            )
            return (run, directory.text(of: "results.xml"))
        }
    }

    @Test func `plugin check prints a failed check with its rule, expectation, finding and remedy`() async throws {
        let run = try await check("--level", "1").run
        #expect(run.status == 1)
        #expect(run.output.contains("\nfail    completes-once               BGT-ABI-09  1 finding\n"))
        #expect(
            run.output.contains("\ncompletes-once  fail\n  rule          BGT-ABI-09\n  expected      every task is")
        )
        #expect(run.output.contains("\n  seen          task "))
        #expect(run.output.contains(" was completed again, with BGT_OUTCOME_FAILURE;"))
        #expect(run.output.contains("\n  remedy        complete the task at one place"))
        #expect(run.error.contains("checked at level 1 of ABI 1.0 with seed "))
    }

    @Test func `plugin check names the user of the plugin and the granted paths, and prints each result in a line`()
        async throws
    {
        let run = try await check("--level", "1").run
        #expect(run.error.contains("the plugin runs as the user ") && run.error.contains("granted paths: none"))
        #expect(run.error.contains("  1  fail  completes-once\n") && run.error.contains("  1  pass  load-now\n"))
    }

    @Test func `plugin check --profile main skips checks of extensions with the reason, and no exit status changes`()
        async throws
    {
        let excluded = ["--exclude", "completes-once", "--reason", "known"]
        let run = try await check("--level", "1", "--profile", "main").run
        #expect(run.status == 1)
        #expect(run.output.contains("outside of the profile main: a main plugin gets no triggers"), "\(run.output)")
        let known = try await check(["--level", "1", "--profile", "main", "--json"] + excluded).run
        #expect(known.status == 6 && known.output.contains("\"profile\" : \"main\""), "\(known.output)")
        let files = try await check("--profile", "main").run
        #expect(files.status == 0, "\(files.error)")
    }

    @Test func `plugin check --profile refuses a manifest with another role`() async throws {
        let run = try await check("--profile", "extension").run
        #expect(run.status == 2 && run.error.contains("has the role main; leave the profile out"), "\(run.error)")
    }

    @Test func `plugin check --only-failed prints a failed check and leaves out a passed one`() async throws {
        let run = try await check("--level", "1", "--only-failed").run
        #expect(run.output.contains("completes-once  fail") && !run.output.contains("entry-succeeds"))
    }

    @Test func `plugin check without --level passes a plugin whose defect shows only when its code runs`() async throws
    {
        let run = try await check().run
        #expect(run.status == 0 && !run.output.contains("completes-once"))
    }

    @Test func `plugin check reports an excluded failure with its reason, and exits with status 6`() async throws {
        let run = try await check("--level", "1", "--exclude", "^completes-once$", "--reason", "known defect").run
        #expect(run.status == 6)
        #expect(run.output.contains("excluded  completes-once               BGT-ABI-09  known defect\n"))
    }

    @Test func `plugin check --junit writes over 40 cases, and marks failed and skipped checks`()
        async throws
    {
        let text = try #require(try await check("--level", "1", "--seed", "7", "--junit", "FILE").junit)
        let script = """
            import sys, xml.etree.ElementTree as tree
            suite = tree.fromstring(sys.argv[1]).find("testsuite")
            cases = suite.findall("testcase")
            failed = [c.get("name") for c in cases if c.find("failure") is not None]
            skipped = [c.get("name") for c in cases if c.find("skipped") is not None]
            print(len(cases) > 40, failed, "receives-triggers" in skipped,
                suite.get("failures"), suite.get("skipped") == str(len(skipped)), suite.find("properties/property").attrib)
            """
        let run = try await ProgramRun.of("/usr/bin/env", ["python3", "-c", script, text])
        #expect(run.output == "True ['completes-once'] True 1 True {'name': 'seed', 'value': '7'}\n", "\(run.error)")
    }

    @Test func `plugin check --json has level and seed, and the rule, expectation and findings of a failed check`()
        async throws
    {
        let run = try await check("--level", "1", "--seed", "7", "--json").run
        let report = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
        #expect(report?["level"] as? Int == 1 && report?["seed"] as? Int == 7)
        let manifest = try #require((report?["manifests"] as? [[String: Any]])?.first)
        let checks = try #require(manifest["checks"] as? [[String: Any]])
        let failed = try #require(checks.first { $0["check"] as? String == "completes-once" })
        #expect(Set(failed.keys) == ["check", "level", "rule", "result", "expected", "seen", "remedy"])
        #expect(checks.first?["level"] as? Int == 0)
    }

    @Test func `plugin check --kind is refused for an identifier and for a kind that the manifest does not permit`()
        async throws
    {
        let unknown = try await check("--level", "1", "--kind", "com.example.nowhere.a=processing").run
        #expect(unknown.status == 2 && unknown.error.contains("no manifest lists the identifier"))
        let kind = try await check("--level", "1", "--kind", "com.example.completestwice.task=health-research").run
        #expect(kind.status == 2 && kind.error.contains("the kinds of this identifier are"), "\(kind.error)")
    }

    @Test func `plugin check prints its closing line with the seed also when the results file cannot be written`()
        async throws
    {
        let run = try await check("--level", "1", "--seed", "7", "--junit", "/nowhere/results.xml").run
        #expect(run.status == 1 && run.error.contains("--junit: "))
        #expect(run.error.contains("checked at level 1 of ABI 1.0 with seed 7: does not conform"))
    }

    @Test func `plugin check refuses a level out of range, zero jobs and an unknown kind`() async throws {
        #expect(try await check("--level", "9").run.error.contains("name a number from 0 to 3"))
        #expect(try await check("--level", "1", "--jobs", "0").run.status == 2)
        #expect(try await check("--level", "1", "--kind", "com.example.a=nothing").run.status == 2)
    }
}
