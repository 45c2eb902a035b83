// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import HostTestKit
import Testing

@Suite("Control characters of a plugin reach neither the host's log nor the output of a command")
struct ControlCharacterTests {
    private static let plugin = TestPlugin("WritesControlCharacters")

    /// Whether the text has a control (C0 apart from line ends, DEL, C1), a direction control, a zero-width character
    /// or a tag.
    private static func isUnsafe(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0a: false
            case 0..<0x20, 0x7f..<0xa0, 0x200b...0x200f, 0x202a...0x202e, 0xfeff, 0xe0000...0xe007f: true
            default: false
            }
        }
    }

    /// Runs a command with text and with JSON output, and checks both outputs.
    ///
    /// - Parameter text: a part of both outputs, which precedes the control characters.
    private static func check(_ arguments: [String], show text: String, on host: HostFixture) async throws {
        for options in [[], ["--json"]] {
            let run = try await host.bgtaskList(arguments + options)
            #expect(run.status == 0 && run.output.contains(text), "\(arguments): \(run.output)")
            #expect(!isUnsafe(run.output + run.error), "\(arguments + options)")
        }
    }

    @Test func `control characters from constructor, entry, handler and thread are escaped in log, lists and journal`()
        async throws
    {
        let plugin = Self.plugin
        try await HostFixture.with(plugins: [.neighbour, plugin]) { host in
            try await host.started(plugin)
            let submission = try await host.submitContinued(plugin.task())
            try await withDeadline(waitingFor: "the title of the task") {
                while try await host.client.tasks().running.first?.title?.hasPrefix("title ") != true {
                    try Task.checkCancellation()
                }
            }
            let launch = try #require(try await host.client.launches(limit: 1).launches.first?.launch)
            try await Self.check(["task", "list"], show: "title ", on: host)
            try await Self.check(["launch", "show", "\(launch)"], show: "assertion ", on: host)
            let watched = try await host.bgtask("watch", "--once")
            #expect(watched.status == 0 && !Self.isUnsafe(watched.output))

            try host.release(plugin)
            let end = try await host.outcome(of: submission)
            #expect(end.event == "failed" && end.message.contains("message "), "\(end)")
            _ = try await host.end(ofLaunch: launch)
            try await Self.check(["journal"], show: "message ", on: host)
            try await Self.check(["launch", "show", "\(launch)"], show: "message ", on: host)
            try await host.runNeighbour()

            try await host.waitForLog("the end of the launch") { $0.contains("launch=\(launch) termination=") }
            for place in LaunchPlace.allCases {
                for stream in ["on stdout", "on stderr"] + (place == .constructor ? [] : ["in the log"]) {
                    let start = #"\#(place.rawValue) \#(stream) \u{1B}[2J\u{009B}31m"#
                    #expect(host.log.contains { $0.contains(start) && $0.contains("launch=\(launch) ") }, "\(start)")
                }
            }
            #expect(!host.log.contains(where: Self.isUnsafe))
        }
    }
}
