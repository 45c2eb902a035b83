// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import HostTestKit

/// Machines for `bgtask -H`, one for each of several hosts of a test. `ssh` starts an `sshd` of the test for each
/// connection, so that no port is used. The remote user is that of the test. `make sshd` extracts the server.
struct RemoteMachines {
    static let hasServer = PreparedFile.path("sshd/usr/sbin/sshd") != nil

    /// The environment of a `bgtask` that reaches the machines.
    let environment: [String: String]

    /// Creates the configuration of the machines in a directory.
    ///
    /// - Parameter hosts: the host of each machine, by the machine's name.
    init(_ hosts: [String: HostFixture], in directory: ScratchDirectory) async throws {
        let server = try Self.serverCommand(in: directory)
        let programs = (try BuiltProgram.command.path() as NSString).deletingLastPathComponent
        let key = directory.file("key")
        let made = try await ProgramRun.of("/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key])
        guard made.status == 0 else { throw HostFailure("ssh-keygen: \(made.error)") }
        var client = ""
        for (name, host) in hosts {
            let configuration = """
                HostKey \(key)
                AuthorizedKeysFile \(key).pub
                PidFile none
                StrictModes no
                UsePAM no
                PasswordAuthentication no
                PermitRootLogin prohibit-password
                SetEnv PATH=\(programs):/usr/bin:/bin BGTASK_SOCKET=\(host.socket)

                """ + Self.programPaths
            let file = try directory.write(configuration.utf8, to: "\(name).sshd")
            client += """
                Host \(name)
                  ProxyCommand \(server) -i -e -f \(file)

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

    /// The settings with which the extracted server finds its own programs, as lines of its configuration. Since version
    /// 9.8 the server starts `sshd-session` for a connection, and since version 10.0 `sshd-auth`. Older servers have
    /// neither the programs nor the settings.
    private static var programPaths: String {
        [("SshdSessionPath", "sshd-session"), ("SshdAuthPath", "sshd-auth")].compactMap { setting, name in
            PreparedFile.path("sshd/usr/lib/openssh/\(name)").map { "\(setting) \($0)\n" }
        }.joined()
    }

    /// The command of the extracted server, in the environment that its installation would provide.
    ///
    /// For root the server demands an account and a directory. A library shows it a list of accounts of the test.
    private static func serverCommand(in directory: ScratchDirectory) throws -> String {
        guard let server = PreparedFile.path("sshd/usr/sbin/sshd"),
            let wrapper = PreparedFile.library("libnss_wrapper.so", in: "sshd/usr/lib")
        else { throw HostFailure("there is no sshd; extract it first: make sshd") }
        if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
        var accounts = try String(contentsOfFile: "/etc/passwd", encoding: .utf8).split(separator: "\n")
        accounts.removeAll { $0.hasPrefix("sshd:") }
        accounts.append("sshd:x:65533:65534::/run/sshd:/usr/sbin/nologin")
        let file = try directory.write((accounts.joined(separator: "\n") + "\n").utf8, to: "passwd")
        let libraries = (wrapper as NSString).deletingLastPathComponent
        return "env LD_LIBRARY_PATH=\(libraries) LD_PRELOAD=\(wrapper) NSS_WRAPPER_PASSWD=\(file)"
            + " NSS_WRAPPER_GROUP=/etc/group \(server)"
    }
}
