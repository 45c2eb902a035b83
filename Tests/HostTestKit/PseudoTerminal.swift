// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import Synchronization

/// A pseudo-terminal, of which the test is the user. It is closed when the value is released.
package final class PseudoTerminal: Sendable {
    /// The complete output so far, recorded again after each addition.
    package let output = Tape<String>()
    private let master: Int32
    // Kept open: the terminal keeps its state after the last program on it has ended.
    private let slave: Int32
    private let path: String

    package static func with<Result>(
        columns: UInt16,
        rows: UInt16,
        _ body: (PseudoTerminal) async throws -> Result
    ) async throws -> Result {
        let terminal = try PseudoTerminal(columns: columns, rows: rows)
        defer { close(terminal.slave) }
        return try await body(terminal)
    }

    private init(columns: UInt16, rows: UInt16) throws {
        var (master, slave): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        guard openpty(&master, &slave, nil, nil, &size) == 0, let name = ttyname(slave) else {
            throw HostFailure("there is no pseudo-terminal: \(String(cString: strerror(errno)))")
        }
        for descriptor in [master, slave] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        self.master = master
        self.slave = slave
        path = String(cString: name)
        read()
    }

    /// Starts a program with this pseudo-terminal as its controlling terminal: the program receives Ctrl-C and every
    /// change of size.
    package func start(_ program: String, _ arguments: [String], environment: [String: String]) async throws
        -> ChildProcess
    {
        // The first terminal that a session opens becomes its controlling terminal.
        let script = "exec \"$@\" <>\"$0\" >&0 2>&0"
        return try await ChildProcess.start(
            "/bin/sh",
            ["-c", script, path, program] + arguments,
            environment: environment
        )
    }

    package func type(_ text: String) { _ = text.withCString { write(master, $0, strlen($0)) } }

    package func resize(columns: UInt16, rows: UInt16) {
        var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Whether the terminal echoes its input and passes the input on line by line.
    package var isPlain: Bool {
        var mode = termios()
        return tcgetattr(slave, &mode) == 0 && mode.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ECHO | ICANON)
    }

    /// Waits until the complete output so far matches, and returns it.
    @discardableResult
    package func wait(for purpose: String, where fits: @escaping @Sendable (String) -> Bool) async throws -> String {
        let text = try await withDeadline(waitingFor: "the terminal: \(purpose)") { [output] in
            await output.first(where: fits)
        }
        if let text { return text }
        throw HostFailure("the terminal was closed before: \(purpose)\n\(output.elements.last ?? "")")
    }

    private func read() {
        let thread = Thread { [self] in
            var bytes: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(master, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                bytes += buffer[..<count]
                output.append(String(decoding: bytes, as: UTF8.self))
            }
            close(master)
            output.finish()
        }
        thread.name = "terminal"
        thread.start()
    }
}
