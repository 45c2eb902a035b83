// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
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
    private var outgoing: [UInt8] = []
    private var sentCount = 0
    private var pace: Pace

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

    /// Reads once, so that no runner takes more than its turn.
    mutating func receive(
        into buffer: UnsafeMutableRawBufferPointer,
        at now: MonotonicTime,
        deliver: (RunnerMessage) -> Void
    ) -> Status {
        guard let socket else { return .ended }
        let count = bgl_receive(socket.number, buffer.baseAddress, buffer.count)
        if count == Int(-EAGAIN) { return .open }
        guard count > 0 else {
            close()
            return .ended
        }
        decoder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        var delivered = 0
        defer { pace.spend(count + delivered * Self.messageCost, at: now) }
        do {
            while let message = try decoder.next() {
                delivered += 1
                deliver(message)
            }
            return .open
        } catch {
            close()
            return .malformed("not a runner's message: \(error.message)")
        }
    }

    /// Reads what is still there after the runner's end.
    mutating func drain(
        into buffer: UnsafeMutableRawBufferPointer,
        at now: MonotonicTime,
        deliver: (RunnerMessage) -> Void
    ) -> Status {
        var turns = Self.drainLimit / buffer.count
        while let socket, turns > 0, bgl_waiting_bytes(socket.number) > 0 {
            let status = receive(into: buffer, at: now, deliver: deliver)
            guard status == .open else { return status }
            turns -= 1
        }
        return .ended
    }

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
        outgoing = []
        sentCount = 0
    }
}
