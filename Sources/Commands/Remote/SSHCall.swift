// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// One call of `ssh` that runs a command of the `bgtask` of another machine, or forwards a control socket.
struct SSHCall: Hashable {
    /// The environment variable with the program to run in place of `ssh`.
    static let programVariable = "BGTASK_SSH"

    let host: RemoteHost
    /// The program and its arguments.
    let words: [String]

    /// Creates the call.
    ///
    /// - Parameters:
    ///   - command: the arguments of the remote `bgtask`.
    ///   - hasTerminal: whether the remote command gets a terminal, for colours, questions and Ctrl-C.
    init(_ command: [String], on host: RemoteHost, environment: [String: String], hasTerminal: Bool) {
        self.host = host
        // `ssh` prints no message when the connection of a terminal ends.
        let terminal = hasTerminal ? ["-t", "-o", "LogLevel=ERROR"] : ["-T"]
        let remote = (["bgtask"] + command).map(\.shellQuoted).joined(separator: " ")
        words = Self.beginning(environment) + terminal + ["--", host.name, remote]
    }

    /// Creates a call that runs no command and forwards a socket of this machine, which only its user can open.
    ///
    /// - Parameters:
    ///   - remote: the socket on the other machine.
    ///   - local: the new socket.
    init(
        forwarding remote: ForwardedSocket,
        to local: ForwardedSocket,
        on host: RemoteHost,
        environment: [String: String]
    ) {
        self.host = host
        // Without the first setting, `ssh` would continue without the socket. With the last one it prints why the
        // server refuses a connection to the socket.
        let settings = ["ExitOnForwardFailure=yes", "StreamLocalBindMask=0177", "LogLevel=INFO"]
        words =
            Self.beginning(environment) + settings.flatMap { ["-o", $0] }
            + ["-N", "-T", "-L", "\(local.field):\(remote.field)", "--", host.name]
    }

    /// The program, which does not ask for a password, and ends when the machine does not answer.
    private static func beginning(_ environment: [String: String]) -> [String] {
        let program = environment[programVariable].flatMap { $0.isEmpty ? nil : $0 } ?? "ssh"
        let settings = ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=15"]
        return [program] + settings.flatMap { ["-o", $0] }
    }

    /// The failure that the status of `ssh` means; nil for a status of the remote `bgtask`, which has reported its own
    /// failure.
    ///
    /// - Parameters:
    ///   - status: the exit status, or 128 plus the number of the signal that ended `ssh`.
    ///   - line: the last line that `ssh` has printed; nil when the user has seen it.
    func failure(of status: Int32, after line: String? = nil) -> CommandFailure? {
        let problems = line.map { ["ssh: \($0)"] } ?? []
        return failure(of: status, problems)
    }

    private func failure(of status: Int32, _ problems: [String]) -> CommandFailure? {
        switch status {
        case 255:
            CommandFailure(
                .unreachable,
                "\(host): ssh could not reach the machine, or lost the connection",
                problems: problems,
                remedy: "check the access without a password with: ssh -o BatchMode=yes -- \(host) true"
            )
        case 126, 127:
            CommandFailure(
                .unreachable,
                "\(host): the machine has no bgtask in the PATH of commands of ssh",
                problems: problems,
                remedy: "install bgtask there, and check with: ssh -- \(host) bgtask --version"
            )
        default: nil
        }
    }
}
