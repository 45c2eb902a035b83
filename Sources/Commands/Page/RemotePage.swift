// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import FoundationEssentials
import Glibc
import HostPage
import Synchronization
import TaskModel

/// The host of another machine for `bgtask -H HOST page`: `ssh` forwards its control socket, with the rights of the
/// user's account there, until the command ends.
struct RemotePage {
    /// Time between two checks for the socket, which `ssh` creates when it is connected.
    private static let checkPause = Duration.milliseconds(50)
    /// Time in which a signal that has ended `ssh` also reaches this process: a terminal sends Ctrl-C to both.
    private static let signalDelay = Duration.milliseconds(200)

    let host: RemoteHost

    /// The place of the host that the options choose on the machine, from the `bgtask` there.
    func place(_ options: HostOptions) async throws -> PagePlace {
        let environment = CommandContext.current.environment
        let words = ["page", "--where"] + options.words
        let call = SSHCall(words, on: host, environment: environment, hasTerminal: false)
        let received = Mutex<[ForegroundProcess.Stream: [UInt8]]>([:])
        let status = try await ForegroundProcess.run(call.words, environment: environment) { stream, bytes in
            received.withLock { $0[stream, default: []] += bytes }
        }
        if let failure = call.failure(of: status) { throw failure }
        let (output, error) = received.withLock { ($0[.output] ?? [], $0[.error] ?? []) }
        guard status == 0, let place = try? WireCoding.decode(PagePlace.self, from: Data(output)) else {
            let cause = String(decoding: error.prefix(500), as: UTF8.self).split(separator: "\n").first ?? "no answer"
            throw CommandFailure(
                .refused,
                "the bgtask on \(host) returned no socket path: \(cause)",
                remedy: "install the same version of bgtask there; compare with: bgtask -H \(host) --version"
            )
        }
        return place
    }

    /// Runs `body` with a socket of this machine that leads to the host, and with the last line that `ssh` prints. Ends
    /// `ssh` when it returns.
    ///
    /// - Parameter parent: the directory in which the socket gets a directory of its own.
    func forwarding(
        _ place: PagePlace,
        in parent: String,
        _ body: @escaping @Sendable (String, LastLine) async throws -> Void
    ) async throws {
        let (remote, printed) = (try forwarded(place), LastLine())
        try await OpeningFile.withDirectory(in: parent) { directory in
            let socket = directory + "/control.sock"
            let local = try Self.forwarded(socket, in: parent)
            defer { unlink(socket) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await forward(remote, to: local, printed) }
                group.addTask {
                    while !CommandContext.current.fileExists(socket) { try await Task.sleep(for: Self.checkPause) }
                    try await body(socket, printed)
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    /// The socket of a host on the other machine. Throws for a path that `ssh` would expand.
    private func forwarded(_ place: PagePlace) throws -> ForwardedSocket {
        if let socket = ForwardedSocket(place.socket) { return socket }
        throw CommandFailure(
            .refused,
            "\(host): ssh cannot forward the control socket \(place.socket.inQuotes); its path has to be"
                + " \(ForwardedSocket.rule)",
            remedy: "choose the host with such a path of its socket, with --socket"
        )
    }

    private static func forwarded(_ socket: String, in parent: String) throws -> ForwardedSocket {
        if let socket = ForwardedSocket(socket) { return socket }
        throw CommandFailure(
            .refused,
            "ssh cannot forward a control socket into the directory \(parent.inQuotes); its path has to be"
                + " \(ForwardedSocket.rule)",
            remedy: "set XDG_RUNTIME_DIR to a directory with such a path"
        )
    }

    /// The remedy for a host that does not answer over the forwarded socket.
    func remedy(after printed: LastLine) -> String {
        let check = "check the host with: bgtask -H \(host) host status"
        guard let line = printed.text else { return check }
        let permission = line.contains("prohibited") ? "permit AllowStreamLocalForwarding in the sshd there, or " : ""
        return "ssh printed \(line): \(permission)\(check)"
    }

    /// Runs `ssh` until the calling task is cancelled. Throws when the connection ends before.
    private func forward(_ remote: ForwardedSocket, to local: ForwardedSocket, _ printed: LastLine) async throws {
        let environment = CommandContext.current.environment
        let call = SSHCall(forwarding: remote, to: local, on: host, environment: environment)
        let status = try await ForegroundProcess.run(call.words, environment: environment) { stream, bytes in
            if stream == .error { printed.add(bytes) }
        }
        try await CommandContext.current.pause(Self.signalDelay)
        throw call.failure(of: status, after: printed.text)
            ?? CommandFailure(
                .unreachable,
                "\(host): ssh has ended with \(status), and with it the page",
                problems: printed.text.map { ["ssh: \($0)"] } ?? [],
                remedy: "check the access without a password with: ssh -o BatchMode=yes -- \(host) true"
            )
    }
}
