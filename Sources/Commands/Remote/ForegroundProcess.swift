// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem

/// A program that runs in the process group of this command, so that it can use the terminal.
final class ForegroundProcess: Sendable {
    enum Stream: Hashable, Sendable { case output, error }

    private let program: ChildProgram
    /// The reading ends of the program's standard output and standard error; empty when it writes to those of this
    /// process.
    private let pipes: [(stream: Stream, end: Descriptor)]

    private init(_ program: ChildProgram, pipes: [(stream: Stream, end: Descriptor)] = []) {
        self.program = program
        self.pipes = pipes
    }

    /// Runs a program to its end. Ends it with SIGTERM when the calling task is cancelled.
    ///
    /// - Parameters:
    ///   - words: the program, by its path or by its name in `PATH`, and its arguments.
    ///   - receive: gets what the program writes, on a thread of its own. The program then has no standard input. Nil:
    ///     the program has the three standard streams of this process.
    /// - Returns: the exit status, or 128 plus the number of the signal that ended the program.
    static func run(
        _ words: [String],
        environment: [String: String],
        receive: (@Sendable (Stream, [UInt8]) -> Void)? = nil
    ) async throws -> Int32 {
        let process = try start(words, environment, isPiped: receive != nil)
        return try await process.program.end(onThread: "remote", cancelledBy: SIGTERM) {
            if let receive { process.read(receive) }
        }
    }

    private static func start(_ words: [String], _ environment: [String: String], isPiped: Bool) throws
        -> ForegroundProcess
    {
        if !isPiped { return ForegroundProcess(try .start(words, environment: environment)) }
        let (output, error) = (try Descriptor.pipe(), try Descriptor.pipe())
        let input = try Descriptor(opening: "/dev/null", flags: O_RDONLY)
        let streams = [input.number, output.1.number, error.1.number]
        let program = try ChildProgram.start(words, environment: environment, streams: streams)
        // This process closes its writing ends of the pipes on return: otherwise the output would not end with the
        // program.
        return ForegroundProcess(program, pipes: [(.output, output.0), (.error, error.0)])
    }

    /// Reads both streams until the program, and everything that has inherited them, has closed them.
    private func read(_ receive: (Stream, [UInt8]) -> Void) {
        var open = pipes
        while !open.isEmpty {
            var waiting = open.map { pollfd(fd: $0.end.number, events: Int16(POLLIN), revents: 0) }
            if poll(&waiting, nfds_t(waiting.count), -1) < 0, errno != EINTR { return }
            let ready = Set(waiting.filter { $0.revents != 0 }.map(\.fd))
            open.removeAll { ready.contains($0.end.number) && !Self.pass(from: $0.end, to: receive, as: $0.stream) }
        }
    }

    /// Passes the bytes that are ready on. Returns false at the end of the stream.
    private static func pass(from end: Descriptor, to receive: (Stream, [UInt8]) -> Void, as stream: Stream) -> Bool {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
            count = Glibc.read(end.number, buffer.baseAddress, buffer.count)
            filled = max(0, count)
        }
        if count > 0 { receive(stream, bytes) }
        return count > 0 || count < 0 && (errno == EAGAIN || errno == EINTR)
    }
}
