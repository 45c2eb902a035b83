// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import TaskModel

/// The host's end of the socket to one runner. Believes nothing of what comes out of it.
struct ControlChannel {
    enum Status: Equatable {
        case open
        /// The other end was closed.
        case ended
        case malformed(String)
    }

    /// Two of the largest frames: a runner that reads at all is never that far behind.
    static let outgoingLimit = 2 * HostMessage.frameLimit
    /// More than a socket holds: what a dead runner left behind is read whole, and no living stranger is heard forever.
    private static let drainLimit = 8 << 20
    /// What handling a message is counted as, so that small ones cannot be more than some ten thousand per second.
    private static let messageCost = 256

    private var socket: Descriptor?
    private var decoder = FrameDecoder<RunnerMessage>()
    /// The next message, which the receiver did not take yet.
    private var held: RunnerMessage?
    private var outgoing: [UInt8] = []
    private var sentCount = 0
    private var pace: Pace
    /// Bytes read so far.
    private var received = 0

    init(socket: Descriptor, at now: MonotonicTime) {
        self.socket = socket
        pace = Pace(burst: 4 << 20, perSecond: 4 << 20, at: now)
    }

    /// Nil once the channel is closed.
    var descriptor: Descriptor? { socket }
    /// What its descriptor is to be watched for.
    var awaited: Int { hasOutgoing ? BGL_READABLE | BGL_WRITABLE : BGL_READABLE }
    private var hasOutgoing: Bool { sentCount < outgoing.count }
    var resumesAt: MonotonicTime? { pace.resumesAt }
    /// Whether a message waits for the receiver; nothing more is read until `resume` has delivered it.
    var isHeld: Bool { held != nil }

    /// Reads once, so that no runner takes more than its turn.
    ///
    /// - Parameter deliver: returns false for a message that the receiver does not take yet: it and what follows it is
    ///   held until `resume`.
    mutating func receive(
        into buffer: UnsafeMutableRawBufferPointer,
        at now: MonotonicTime,
        deliver: (RunnerMessage) -> Bool
    ) -> Status {
        guard !isHeld else { return .open }
        guard let socket else { return .ended }
        let count = bgl_receive(socket.number, buffer.baseAddress, buffer.count)
        if count == Int(-EAGAIN) { return .open }
        guard count > 0 else {
            close()
            return .ended
        }
        received += count
        decoder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        pace.spend(count, at: now)
        return decode(at: now, deliver: deliver)
    }

    /// Delivers the held message and those behind it, as far as the receiver takes them. Reads nothing.
    mutating func resume(at now: MonotonicTime, deliver: (RunnerMessage) -> Bool) -> Status {
        guard socket != nil else { return .ended }
        return decode(at: now, deliver: deliver)
    }

    private mutating func decode(at now: MonotonicTime, deliver: (RunnerMessage) -> Bool) -> Status {
        var delivered = 0
        defer { pace.spend(delivered * Self.messageCost, at: now) }
        do {
            while let message = try next() {
                guard deliver(message) else {
                    held = message
                    break
                }
                delivered += 1
            }
            return .open
        } catch {
            close()
            return .malformed("not a runner's message: \(error.message)")
        }
    }

    private mutating func next() throws(WireError) -> RunnerMessage? {
        guard let message = held else { return try decoder.next() }
        // Not by `take()`: optimized code of Swift 6.3.1 releases the returned value once too often, and the host crashes.
        held = nil
        return message
    }

    /// Delivers all messages that the runner has sent so far, whatever its pace.
    mutating func drain(
        into buffer: UnsafeMutableRawBufferPointer,
        at now: MonotonicTime,
        deliver: (RunnerMessage) -> Void
    ) -> Status {
        let deliverAll = { (message: RunnerMessage) -> Bool in
            deliver(message)
            return true
        }
        var status = resume(at: now, deliver: deliverAll)
        // Bytes sent from now on are not read: a runner that lives could send for ever.
        let end = received + min(waiting, Self.drainLimit)
        while status == .open, received < end, waiting > 0 {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(end - received, buffer.count)])
            status = receive(into: part, at: now, deliver: deliverAll)
        }
        return status
    }

    /// Bytes in the socket that were not read yet.
    private var waiting: Int { socket.map { Int(bgl_waiting_bytes($0.number)) } ?? 0 }

    /// Sends as much as the socket takes now; the rest waits for `flush`.
    mutating func send(_ frame: [UInt8]) -> Status {
        guard socket != nil else { return .ended }
        guard outgoing.count - sentCount + frame.count <= Self.outgoingLimit else {
            close()
            return .malformed("the runner does not read: more than \(Self.outgoingLimit) bytes would wait for it")
        }
        outgoing.append(contentsOf: frame)
        return flush()
    }

    mutating func flush() -> Status {
        while let socket, hasOutgoing {
            let count = outgoing.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sentCount...])
                return bgl_send(socket.number, rest.baseAddress, rest.count)
            }
            if count == Int(-EAGAIN) { return .open }
            guard count > 0 else {
                // Nobody reads any more; what was sent to us before can still be read.
                outgoing = []
                sentCount = 0
                return .ended
            }
            sentCount += count
        }
        outgoing.removeAll(keepingCapacity: outgoing.capacity <= 65536)
        sentCount = 0
        return .open
    }

    mutating func close() {
        socket = nil
        held = nil
        outgoing = []
        sentCount = 0
    }
}
