// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// Machines for `bgtask -H`, one for each of several hosts of a test. `ssh` starts an `sshd` of the test for each
/// connection, so that no port is used. The remote user is that of the test.
struct RemoteMachines {
    static let server = "/usr/sbin/sshd"

    /// The environment of a `bgtask` that reaches the machines.
    let environment: [String: String]

    /// Creates the configuration of the machines in a directory.
    ///
    /// - Parameter hosts: the host of each machine, by the machine's name.
    init(_ hosts: [String: HostFixture], in directory: ScratchDirectory) async throws {
        try Self.makeDirectoryOfServer()
        let programs = (try BuiltProgram.command.path() as NSString).deletingLastPathComponent
        let key = directory.file("key")
        let made = try await ProgramRun.of("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key])
        guard made.status == 0 else { throw HostFailure("ssh-keygen: \(made.error)") }
        var client = ""
        for (name, host) in hosts {
            let server = """
                HostKey \(key)
                AuthorizedKeysFile \(key).pub
                PidFile none
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                PermitRootLogin prohibit-password
                SetEnv PATH=\(programs):/usr/bin:/bin BGTASK_SOCKET=\(host.socket)

                """
            let file = try directory.write(server.utf8, to: "\(name).sshd")
            client += """
                Host \(name)
                  ProxyCommand \(Self.server) -i -e -f \(file)

                """
        }
        client += """
            Host lost
              ProxyCommand false
            Host *
              IdentityFile \(key)
              IdentitiesOnly yes
              StrictHostKeyChecking no
              UserKnownHostsFile /dev/null
              LogLevel ERROR

            """
        let configuration = try directory.write(client.utf8, to: "ssh_config")
        let script = "#!/bin/sh\nexec /usr/bin/ssh -F \(configuration) \"$@\"\n"
        let program = try directory.write(script.utf8, to: "ssh")
        guard chmod(program, 0o755) == 0 else { throw HostFailure("cannot make \(program) executable") }
        environment = ProcessInfo.processInfo.environment.merging(["BGTASK_SSH": program]) { _, own in own }
    }

    func bgtask(_ arguments: String...) async throws -> ProgramRun { try await bgtask(arguments) }

    func bgtask(_ arguments: [String]) async throws -> ProgramRun {
        try await ProgramRun.of(BuiltProgram.command.path(), arguments, environment: environment)
    }

    /// Creates the directory that `sshd` demands of root, and that its service creates elsewhere.
    private static func makeDirectoryOfServer() throws {
        if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
    }
}
