// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import Testing

@Suite("bgtask -H HOST page serves the page of another machine's host", .serialized)
struct RemotePageTests {
    /// Runs `body` with a page, the path of its file, its host, and the directory of temporary files.
    private func withPage(
        _ body: (ChildProcess, String, HostFixture, ScratchDirectory) async throws -> Void
    ) async throws {
        try await HostFixture.with { host in
            try await ScratchDirectory.with { directory in
                let machines = try await RemoteMachines(["alpha": host], in: directory)
                let environment = machines.environment.merging(["XDG_RUNTIME_DIR": directory.path]) { $1 }
                let page = try await ChildProcess.start(
                    BuiltProgram.command.path(),
                    ["-H", "alpha", "page", "--no-browser"],
                    environment: environment
                )
                let line = try await page.errorLine("the file of the page") { $0.contains("file://") }
                let file = try #require(line.firstMatch(of: /file:\/\/(.+)$/)).1
                try await body(page, String(file), host, directory)
            }
        }
    }

    /// The answer of the page to a call with the token in its file.
    private static func answer(_ path: String, file: String) async throws -> String {
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let address = try #require(text.firstMatch(of: /127\.0\.0\.1:([0-9]+)\/#token=([0-9a-f]+)/))
        let fields = [
            "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(address.1)", "Sec-Fetch-Site: same-origin",
            "Authorization: Bearer \(address.2)", "Connection: close", "", "",
        ]
        let request = fields.joined(separator: "\\r\\n")
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(address.1); printf '\(request)' >&3; cat <&3"
        return try await ProgramRun.of("/bin/bash", ["-c", script]).output
    }

    @Test(.enabled(if: RemoteMachines.hasServer, "takes make sshd"))
    func `the page of another machine shows its host, and names the machine for its commands`() async throws {
        try await withPage { page, file, host, _ in
            let session = try await Self.answer("/session", file: file)
            #expect(session.contains(#""remote_host":"alpha""#) && session.contains("--socket \(host.socket)"))
            let status = try await Self.answer("/v1/host", file: file)
            #expect(status.contains("HTTP/1.1 200") && status.contains("launch_limits"), "\(status)")
            page.signal(SIGTERM)
            _ = try await page.ending()
        }
    }

    @Test(.enabled(if: RemoteMachines.hasServer, "takes make sshd"))
    func `the end of the command ends ssh, and deletes the file and the forwarded socket`() async throws {
        try await withPage { page, _, _, directory in
            page.signal(SIGINT)
            #expect(try await page.ending() == .exited(0))
            let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
            #expect(!left.contains { $0.hasPrefix("bgtask-page-") }, "\(left)")
            let processes = try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }
            let socket = directory.path + "/bgtask-page"
            #expect(!processes.contains { KernelFile.text("/proc/\($0)/cmdline").contains(socket) })
        }
    }

    @Test(.enabled(if: RemoteMachines.hasServer, "takes make sshd"))
    func `a machine that ssh does not reach has no page`() async throws {
        try await HostFixture.with { host in
            try await ScratchDirectory.with { directory in
                let machines = try await RemoteMachines(["alpha": host], in: directory)
                let page = try await machines.bgtask("-H", "lost", "page", "--no-browser")
                #expect(page.status == 3 && page.error.contains("lost: ssh could not reach"), "\(page.error)")
            }
        }
    }
}
