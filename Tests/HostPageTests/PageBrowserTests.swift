// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("A browser shows the page of a real host")
struct PageBrowserTests {
    private static let script = URL(filePath: #filePath).appending(path: "../../Page/run").standardized.path
    private static let browsers = ["chromium", "chromium-browser", "google-chrome"]

    private static let scenarios = [
        "load", "live-update", "stop-task", "retry-task", "bulk-cancel", "filters", "timeline", "lost-host",
        "hanging-host", "new-ledger", "incomplete-list", "stopped-action", "lost-command", "one-stream", "lost-leader",
        "hidden-tab", "hostile-texts", "no-trusted-types", "names-for-assistive-programs", "large-host", "keyboard",
        "read-only", "foreign-callers", "silent-connections", "accessibility-rules", "transfers", "what-if", "future",
        "refused-filter", "zones",
    ]

    /// Whether this machine has a browser, and Python the module for its protocol.
    private static let hasBrowser: Bool = {
        let places = ["/usr/bin", "/usr/local/bin"].flatMap { place in browsers.map { "\(place)/\($0)" } }
        let isThere = places.contains { FileManager.default.isExecutableFile(atPath: $0) }
        return isThere && FileManager.default.fileExists(atPath: "/usr/lib/python3/dist-packages/websockets")
    }()

    /// Other tests run beside a scenario, so that its times get slack; and the place of axe-core.
    private static var environment: [String: String] {
        var environment = ["BGTASK_SLACK": "3"].merging(ProcessInfo.processInfo.environment) { $1 }
        environment["BGTASK_AXE"] = PreparedFile.path("axe") ?? environment["BGTASK_AXE"]
        return environment
    }

    @Test(
        .enabled(if: hasBrowser, "takes the Debian packages chromium and python3-websockets"),
        arguments: scenarios
    )
    func `the page passes a scenario in headless Chromium`(scenario: String) async throws {
        let programs = (try BuiltProgram.host.path() as NSString).deletingLastPathComponent
        // The limit begins with the slot: the wait for it depends on the other tests.
        let run = try await HostSlots.withSlot {
            try await ProgramRun.of(
                "/usr/bin/python3",
                [Self.script, programs, "--only", scenario],
                environment: Self.environment,
                within: .seconds(240)
            )
        }
        #expect(run.status == 0, "\(run.output)\(run.error)")
    }

    @Test func `each scenario of the script has a test`() throws {
        let file = URL(filePath: Self.script).deletingLastPathComponent().appending(path: "scenarios.py")
        let text = try String(contentsOf: file, encoding: .utf8)
        let names = text.matches(of: /@scenario\nasync def ([a-z_]+)/).map { String($0.1).replacing("_", with: "-") }
        #expect(names.sorted() == Self.scenarios.sorted())
    }
}
