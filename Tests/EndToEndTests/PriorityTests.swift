// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("A host keeps the priority that it was started with")
struct PriorityTests {
    @Test func `every thread of a host has the nice value of the host`() async throws {
        try await ScratchDirectory.with { directory in
            let process = try await ChildProcess.start(
                "/usr/bin/nice",
                [
                    "-n", "3", BuiltProgram.host.path(), "--config", directory.write([], to: "bgtaskd.yaml"),
                    "--manifests", directory.file("manifests"), "--package-manifests", directory.file("packages"),
                    "--state-directory", directory.file("state"), "--socket", directory.file("s"),
                    "--plugin-users", "host",
                ]
            )
            _ = try await process.errorLine("the host to serve") { $0.contains("serving") }
            let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
            let tasks = "/proc/\(process.pid)/task"
            let values = try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap { thread in
                try String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8).split(separator: ")").last?
                    .split(separator: " ").dropFirst(16).first.flatMap { Int32($0) }
            }
            #expect(values.count > 1 && Set(values) == [own + 3], "\(values)")
            process.signal(SIGTERM)
            #expect(try await process.ending() == .exited(0))
        }
    }
}
