// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Foundation
import LinuxSystem
import Synchronization

/// A program that the test started, in a session of its own. It always dies with the test run.
package final class ChildProcess: Sendable {
    package enum Ending: Hashable, Sendable {
        case exited(Int32)
        case signaled(Int32)
    }

    package let pid: Int32
    /// The complete lines of standard output so far, without their line ends. At its end, the last line may be partial.
    package let standardOutput = Tape<String>()
    package let standardError = Tape<String>()
    private let endings = Tape<Ending>()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: an absolute path.
    ///   - passing: descriptors that the program gets from number 3 on.
    ///   - onEnd: called on the child's own thread, after the child is reaped and before its end is published.
    package static func start(
        _ program: String,
        _ arguments: [String],
        environment: [String: String] = ProcessInfo.processInfo.environment,
        passing passed: [Int32] = [],
        onEnd: @escaping @Sendable () -> Void = {}
    ) async throws -> ChildProcess {
        // The kernel ties the child to the thread that starts it: one thread starts, awaits and reaps.
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread {
                do {
                    let (child, pipes) = try spawn(program, arguments, environment, passed)
                    child.read(pipes.output, to: child.standardOutput)
                    child.read(pipes.error, to: child.standardError)
                    continuation.resume(returning: child)
                    let ending = child.reap()
                    onEnd()
                    child.endings.append(ending)
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            thread.name = "child"
            thread.start()
        }
    }

    private init(pid: Int32) { self.pid = pid }

    /// Waits for the end of the process and of its output, and returns how the process ended.
    package func ending(within limit: Duration = .seconds(60)) async throws -> Ending {
        try await withDeadline(limit, waitingFor: "the end of process \(pid)") {
            [endings, standardOutput, standardError] in
            guard let ending = await endings.first(where: { _ in true }) else { throw CancellationError() }
            for tape in [standardOutput, standardError] { _ = await tape.first { _ in false } }
            return ending
        }
    }

    /// Waits for the first matching line on standard error, past or future, and returns it.
    @discardableResult
    package func errorLine(_ purpose: String, where fits: @escaping @Sendable (String) -> Bool) async throws -> String {
        try await Self.line(of: standardError, purpose, where: fits)
    }

    /// Waits for the first matching line on standard output, past or future, and returns it.
    @discardableResult
    package func outputLine(_ purpose: String, where fits: @escaping @Sendable (String) -> Bool) async throws -> String
    {
        try await Self.line(of: standardOutput, purpose, where: fits)
    }

    private static func line(
        of tape: Tape<String>,
        _ purpose: String,
        where fits: @escaping @Sendable (String) -> Bool
    ) async throws -> String {
        let line = try await withDeadline(waitingFor: "a line: \(purpose)") { await tape.first(where: fits) }
        if let line { return line }
        throw HostFailure("the output ended before the line: \(purpose)\n\(tape.elements.joined(separator: "\n"))")
    }

    package var hasEnded: Bool { endingSoFar != nil }
    /// How the process ended; nil while it runs.
    package var endingSoFar: Ending? { endings.elements.first }

    package func signal(_ number: Int32) {
        // Only the child's own thread reaps it, and that thread records the end first.
        if !hasEnded { kill(pid, number) }
    }

    /// Waits until a signal has stopped the process.
    package func stopping() async throws {
        try await withDeadline(waitingFor: "process \(pid) to be stopped") {
            while !self.isStopped {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    private var isStopped: Bool {
        // `pid (name) state ...`, and the name may have any characters.
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8),
            let name = text.lastIndex(of: ")")
        else { return false }
        return text[name...].dropFirst(2).first == "T"
    }

    // MARK: On the child's own threads

    private static func spawn(
        _ program: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ passed: [Int32]
    ) throws -> (ChildProcess, (output: Int32, error: Int32)) {
        let executable = open(program, O_RDONLY | O_CLOEXEC)
        guard executable >= 0 else { throw HostFailure("cannot open \(program): \(String(cString: strerror(errno)))") }
        defer { close(executable) }
        let empty = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(empty) }
        let (output, childOutput) = try pipe()
        let (error, childError) = try pipe()
        defer { for descriptor in [childOutput, childError] { close(descriptor) } }

        var spawned = bgl_spawned()
        let status = CStrings.with([program] + arguments) { arguments in
            CStrings.with(environment.map { "\($0.key)=\($0.value)" }) { environment in
                ([empty, childOutput, childError] + passed).withUnsafeBufferPointer { descriptors in
                    var spawn = bgl_spawn()
                    spawn.executable = executable
                    spawn.arguments = arguments
                    spawn.environment = environment
                    spawn.descriptors = descriptors.baseAddress
                    spawn.descriptor_count = Int32(descriptors.count)
                    spawn.cgroup = -1
                    return bgl_spawn(&spawn, &spawned)
                }
            }
        }
        guard status == 0 else {
            for descriptor in [output, error] { close(descriptor) }
            throw HostFailure("cannot start \(program): \(String(cString: strerror(-status)))")
        }
        close(spawned.pidfd)
        return (ChildProcess(pid: spawned.pid), (output, error))
    }

    private func reap() -> Ending {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? .exited(status >> 8 & 0xff) : .signaled(signal)
    }

    private func read(_ descriptor: Int32, to tape: Tape<String>) {
        let thread = Thread {
            var unfinished: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = Glibc.read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                unfinished += buffer[..<count]
                var lines = unfinished.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
                unfinished = Array(lines.removeLast())
                for line in lines { tape.append(String(decoding: line, as: UTF8.self)) }
            }
            if !unfinished.isEmpty { tape.append(String(decoding: unfinished, as: UTF8.self)) }
            close(descriptor)
            tape.finish()
        }
        thread.name = "child-output"
        thread.start()
    }

    /// Creates a pipe whose reading end blocks, because a thread of its own reads it.
    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard bgl_pipe(&ends) == 0, fcntl(ends[0], F_SETFL, 0) == 0 else { throw HostFailure("there is no pipe") }
        return (ends[0], ends[1])
    }
}
