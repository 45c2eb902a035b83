// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel

/// One call of `ssh` that runs a command of the `bgtask` of another machine.
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
        let program = environment[Self.programVariable].flatMap { $0.isEmpty ? nil : $0 } ?? "ssh"
        // `ssh` does not ask for a password, ends when the machine does not answer, and prints no message when the
        // connection of a terminal ends.
        let settings = ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=15"]
        let terminal = hasTerminal ? ["-t", "-o", "LogLevel=ERROR"] : ["-T"]
        let remote = (["bgtask"] + command).map(\.shellQuoted).joined(separator: " ")
        words = [program] + settings.flatMap { ["-o", $0] } + terminal + ["--", host.name, remote]
    }

    /// The failure that the status of `ssh` means; nil for a status of the remote `bgtask`, which has reported its own
    /// failure.
    ///
    /// - Parameter status: the exit status, or 128 plus the number of the signal that ended `ssh`.
    func failure(of status: Int32) -> CommandFailure? {
        switch status {
        case 255:
            CommandFailure(
                .unreachable,
                "\(host): ssh could not reach the machine, or lost the connection",
                remedy: "check the access without a password with: ssh -o BatchMode=yes -- \(host) true"
            )
        case 126, 127:
            CommandFailure(
                .unreachable,
                "\(host): the machine has no bgtask in the PATH of commands of ssh",
                remedy: "install bgtask there, and check with: ssh -- \(host) bgtask --version"
            )
        default: nil
        }
    }
}
