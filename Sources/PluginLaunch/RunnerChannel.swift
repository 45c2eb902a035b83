// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import TaskModel

/// The host's end of the control socket to one runner. All received bytes are validated.
struct RunnerChannel {
    enum Status: Equatable {
        case open
        /// The runner closed its end, the socket failed, or the channel is closed.
        case ended
        case malformed(String)
    }

    /// Limit of unsent messages in bytes: two frames of the largest size. Beyond it the channel is closed.
    static let outgoingLimit = 2 * HostMessage.frameLimit
    /// Limit of one drain in bytes. It exceeds the size of a socket buffer, so the messages of a dead runner are read
    /// completely, and a living process cannot prolong the drain.
    private static let drainLimit = 8 << 20
    /// Cost of handling one message, or one read that completes none, as a number of bytes in the rate limit. It limits
    /// small messages, and reads of single bytes, to about ten thousand per second.
    private static let messageCost = 256
    /// The same for a call, which costs a place in a commit: about a thousand at once, and then a thousand per second. A
    /// plugin that submits without end would otherwise delay the commits of others.
    private static let callCost = 4096

    private var socket: Descriptor?
    private var decoder = FrameDecoder<RunnerMessage>()
    /// The next message, which `deliver` has refused for now; nil without one.
    private var held: RunnerMessage?
    private var outgoing: [UInt8] = []
    private var sentCount = 0
    /// The frames behind the first one while `defersFrames`: the plan is among them.
    private var deferred: [UInt8] = []
    private var hasFirstFrame = false
    private var hasFirstMessage = false
    private var bucket: TokenBucket
    /// Total number of received bytes.
    private var received = 0
    /// The listener of the runner's filter of system calls, until the launch thread takes it over.
    var listener = RunnerListener()

    init(socket: Descriptor, at now: MonotonicTime) {
        self.socket = socket
        bucket = TokenBucket(burst: 4 << 20, perSecond: 4 << 20, at: now)
    }

    /// The descriptor of the socket; nil once the channel is closed.
    var descriptor: Descriptor? { socket }
    /// The epoll events that the descriptor is watched for.
    var awaited: Int { hasOutgoing ? BGL_READABLE | BGL_WRITABLE : BGL_READABLE }
    private var hasOutgoing: Bool { sentCount < outgoing.count }
    /// Whether the host waits for the runner's listener. The runner gets no plan before: plugin code could send
    /// descriptors in place of the listener, and the runner closes a listener that it could not send.
    private var defersFrames: Bool { hasFirstFrame && listener.isExpected && received == 0 }
    var resumesAt: MonotonicTime? { bucket.resumesAt }
    /// Whether a message waits because `deliver` refused it. No more bytes are read until `resume` has delivered the
    /// message.
    var isHeld: Bool { held != nil }

    /// Reads from the socket once, so that no runner delays the others, and delivers the messages. After the first
    /// bytes the caller takes the listener, and then sends the deferred frames with `flush`.
    ///
    /// - Parameter deliver: returns false when the receiver refuses the message for now; this message and all later
    ///   messages are then held until `resume`.
    mutating func receive(
        into buffer: UnsafeMutableRawBufferPointer,
        at now: MonotonicTime,
        deliver: (RunnerMessage) -> Bool
    ) -> Status {
        guard !isHeld else { return .open }
        guard let socket else { return .ended }
        var attached = Int32(BGL_NO_DESCRIPTOR)
        let count = bgl_receive_with_descriptor(socket.number, buffer.baseAddress, buffer.count, &attached)
        listener.accept(attached, isFirst: received == 0)
        if count == Int(-EAGAIN) { return .open }
        guard count > 0 else {
            close()
            return .ended
        }
        // The runner sends a descriptor with its first bytes only. A plugin can send one whose close blocks this thread,
        // such as a socket with SO_LINGER. A failure means that the kernel is too old for the option.
        if received == 0 { _ = bgl_refuse_descriptors(socket.number) }
        received += count
        outgoing.append(contentsOf: deferred)
        deferred = []
        decoder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        bucket.spend(count, at: now)
        return decode(at: now, deliver: deliver)
    }

    /// Delivers the held message and the messages behind it, until the receiver refuses one. Reads no bytes.
    mutating func resume(at now: MonotonicTime, deliver: (RunnerMessage) -> Bool) -> Status {
        guard socket != nil else { return .ended }
        return decode(at: now, deliver: deliver)
    }

    private mutating func decode(at now: MonotonicTime, deliver: (RunnerMessage) -> Bool) -> Status {
        var cost = 0
        defer { bucket.spend(max(cost, Self.messageCost), at: now) }
        do {
            while let message = try next() {
                guard deliver(message) else {
                    held = message
                    break
                }
                cost += message.isCall ? Self.callCost : Self.messageCost
            }
            return .open
        } catch {
            close()
            return .malformed(
                "an invalid message arrived on the runner's socket, to which only the runner itself may write:"
                    + " \(error.message)"
            )
        }
    }

    private mutating func next() throws(WireError) -> RunnerMessage? {
        guard let message = held else {
            let message = try decoder.next()
            if let message, !hasFirstMessage {
                hasFirstMessage = true
                listener.accept(message)
            }
            return message
        }
        // Not `take()`: code optimized by Swift 6.3.1 over-releases the returned value, which crashes the host.
        held = nil
        return message
    }

    /// Delivers all messages that the runner has sent so far, at most `drainLimit` unread bytes, without its rate
    /// limit.
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
        // Bytes sent from now on are not read: a living runner could send forever.
        let end = received + min(waiting, Self.drainLimit)
        while status == .open, received < end, waiting > 0 {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(end - received, buffer.count)])
            status = receive(into: part, at: now, deliver: deliverAll)
        }
        return status
    }

    /// The number of unread bytes in the socket.
    private var waiting: Int { socket.map { Int(bgl_waiting_bytes($0.number)) } ?? 0 }

    /// Queues a message and sends as much as the socket accepts; `flush` sends the rest. Closes the channel when more
    /// than `outgoingLimit` bytes would wait. While the listener of the runner is expected, only the first message is
    /// sent.
    mutating func send(_ frame: [UInt8]) -> Status {
        guard socket != nil else { return .ended }
        guard outgoing.count - sentCount + deferred.count + frame.count <= Self.outgoingLimit else {
            close()
            return .malformed(
                "the runner does not read its socket, and more than \(Self.outgoingLimit) bytes of the host wait to be"
                    + " sent to the runner; do not stop the runner process"
            )
        }
        if defersFrames {
            deferred.append(contentsOf: frame)
            return .open
        }
        hasFirstFrame = true
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
                // The runner no longer reads; bytes that it sent before can still be received.
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
        deferred = []
    }
}
