// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit
import StatementTraits
import Testing

@Suite("The push gateway needs no rights beyond those of an ordinary user", .proves("C22"))
struct UnprivilegedGatewayTests {
    /// Prints the status of the answer to a request.
    private static let request = """
        import sys, urllib.error, urllib.request
        try:
            print(urllib.request.urlopen(sys.argv[1], timeout=20).status)
        except urllib.error.HTTPError as error:
            print(error.code)
        """

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `a gateway of a user without capabilities answers each sender`() async throws {
        try await ScratchDirectory.with { directory in
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path)
            let keys = directory.path + "/keys"
            try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: false)
            let user = UInt32.random(in: 1 << 20..<1 << 21)
            let gateway = try await ChildProcess.start(
                "/usr/bin/setpriv",
                [
                    "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--no-new-privs", "--pdeathsig", "KILL",
                    try BuiltProgram.command.path(), "push", "serve", "--cleartext", "--listen", "127.0.0.1:0",
                    "--socket", directory.path + "/none.sock", "--keys", keys,
                ]
            )
            let line = try await gateway.errorLine("the address of the gateway") { $0.contains("serving http://") }
            let address = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
            // NIO accepts on one thread and serves on others: several connections reach more than one.
            for _ in 1...4 {
                let answer = try await ProgramRun.of("/usr/bin/python3", ["-c", Self.request, "\(address)/push/none"])
                #expect(answer.output == "404\n" && answer.error.isEmpty)
            }
            kill(gateway.pid, SIGTERM)
            _ = try await gateway.ending()
        }
    }
}
