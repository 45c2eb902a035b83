// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Splits the output of one stream of a runner into lines. Lines beyond their rate limit are dropped; the rate limit of
/// bytes delays reading.
struct OutputReader {
    enum Piece: Equatable {
        case line(String)
        case dropped(Int)
    }

    static let lineLimit = 8192
    /// Limit of one drain in bytes: the largest size of a pipe without privileges.
    private static let drainLimit = 1 << 20

    /// Minimum cost of one read, as a number of bytes in the rate limit: a plugin that writes single bytes cannot keep
    /// the thread of all launches busy with reads.
    private static let readCost = 1_024

    private var pipe: Descriptor?
    private var partial: [UInt8] = []
    private var rateLimit: LineRateLimit
    private var byteBucket: TokenBucket

    init(pipe: Descriptor, at now: MonotonicTime) {
        self.pipe = pipe
        rateLimit = LineRateLimit(at: now)
        byteBucket = TokenBucket(burst: 8 << 20, perSecond: 8 << 20, at: now)
    }

    /// The descriptor of the pipe; nil once the stream has ended.
    var descriptor: Descriptor? { pipe }
    /// Time at which reading resumes after the rate limit of bytes was exceeded; nil while it is not exceeded. Until
    /// then the writer blocks when the pipe is full.
    var resumesAt: MonotonicTime? { byteBucket.resumesAt }

    /// Reads from the pipe once, and delivers complete lines. Returns false at the end of the stream or after an error.
    mutating func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at now: MonotonicTime,
        deliver: (Piece) -> Void
    ) -> Bool {
        guard let pipe else { return false }
        let count = bgl_read(pipe.number, buffer.baseAddress, buffer.count)
        if count == Int(-EAGAIN) { return true }
        guard count > 0 else {
            self.pipe = nil
            return false
        }
        byteBucket.spend(max(count, Self.readCost), at: now)
        split(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: now, deliver: deliver)
        return true
    }

    /// Reads the remaining bytes, about `drainLimit` at most. Delivers all lines, including an unterminated last one,
    /// and the count of dropped lines.
    mutating func finish(
        into buffer: UnsafeMutableRawBufferPointer,
        at now: MonotonicTime,
        deliver: (Piece) -> Void
    ) {
        var turns = Self.drainLimit / buffer.count + 1
        while let pipe, turns > 0, bgl_waiting_bytes(pipe.number) > 0 {
            guard read(into: buffer, at: now, deliver: deliver) else { break }
            turns -= 1
        }
        pipe = nil
        if !partial.isEmpty { endLine(at: now, deliver: deliver) }
        reportDropped(deliver: deliver)
    }

    private mutating func split(
        _ bytes: UnsafeRawBufferPointer,
        at now: MonotonicTime,
        deliver: (Piece) -> Void
    ) {
        var rest = bytes[...]
        while !rest.isEmpty {
            // An overlong line continues as the next line.
            if partial.count == Self.lineLimit, rest.first != UInt8(ascii: "\n") { endLine(at: now, deliver: deliver) }
            let room = Self.lineLimit - partial.count
            if let end = rest.prefix(room + 1).firstIndex(of: UInt8(ascii: "\n")) {
                partial.append(contentsOf: rest[..<end])
                rest = rest[(end + 1)...]
                endLine(at: now, deliver: deliver)
            } else {
                partial.append(contentsOf: rest.prefix(room))
                rest = rest.dropFirst(room)
            }
        }
    }

    private mutating func endLine(at now: MonotonicTime, deliver: (Piece) -> Void) {
        defer { partial.removeAll(keepingCapacity: true) }
        guard rateLimit.takes(at: now) else { return }
        reportDropped(deliver: deliver)
        deliver(.line(String(decoding: partial, as: UTF8.self)))
    }

    private mutating func reportDropped(deliver: (Piece) -> Void) {
        let count = rateLimit.reportDropped()
        if count > 0 { deliver(.dropped(count)) }
    }
}
