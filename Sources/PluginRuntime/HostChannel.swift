// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire
import Synchronization
import TaskModel

/// The runner's end of the control socket. Sending never blocks: bytes that the socket does not accept are kept in
/// order, and the control thread flushes them. Apart from dropping log lines in a flood, it does not interpret
/// messages.
final class HostChannel: Sendable {
    /// Backlog in bytes above which log lines are dropped. All other messages are kept.
    private static let floodMark = 262_144

    private struct Outgoing {
        var backlog: [UInt8] = []
        var droppedLines = 0
        var isBroken = false
        /// Whether the last message was sent or is in the backlog. Later messages are refused.
        var isSealed = false

        mutating func reportDroppedLines() {
            if droppedLines == 0 { return }
            let message =
                "log lines of the plugin dropped: \(droppedLines); the plugin wrote lines faster than the host accepts"
                + " them; log fewer lines"
            droppedLines = 0
            backlog.append(contentsOf: (try? RunnerMessage.log(.warning, message: message).frame()) ?? [])
        }
    }

    private let descriptor: Int32
    private let wakeChannel: WakeChannel
    private let process = getpid()
    private let outgoing = Mutex(Outgoing())

    /// Creates the channel on an open socket.
    ///
    /// - Parameter wakeChannel: wake-up channel of the control thread, signaled when bytes remain for `flush`.
    init(descriptor: Int32, wakeChannel: WakeChannel) {
        self.descriptor = descriptor
        self.wakeChannel = wakeChannel
    }

    // MARK: Sending

    /// Sends a message, or adds it to the backlog.
    ///
    /// - Parameter isLast: whether all later messages are refused.
    /// - Returns: false when the host will not receive the message.
    @discardableResult
    func send(_ message: RunnerMessage, isLast: Bool = false) -> Bool {
        // A child that the plugin forked inherits the socket; its bytes would break up other messages.
        guard getpid() == process else { return false }
        let frame: [UInt8]
        do {
            frame = try message.frame()
        } catch {
            send(.log(.error, message: "a message to the host was not sent: \(error.message)"))
            return false
        }
        let isLine = if case .log = message { true } else { false }
        return outgoing.withLock { outgoing in
            guard !outgoing.isBroken, !outgoing.isSealed else { return false }
            if isLine && outgoing.backlog.count > Self.floodMark {
                outgoing.droppedLines += 1
                return false
            }
            let wasEmpty = outgoing.backlog.isEmpty
            if outgoing.backlog.count <= Self.floodMark || isLast { outgoing.reportDroppedLines() }
            outgoing.backlog.append(contentsOf: frame)
            outgoing.isSealed = isLast
            if wasEmpty {
                push(&outgoing)
                if !outgoing.backlog.isEmpty { wakeChannel.wake() }
            }
            return !outgoing.isBroken
        }
    }

    /// Sends the first message of the launch, together with a descriptor. Throws when the host does not receive both;
    /// no message can be sent then, except after ETOOMANYREFS: the user has too many descriptors in flight.
    func send(_ message: RunnerMessage, with attached: Int32) throws(SystemError) {
        let attempt = "send a descriptor to the host"
        guard let frame = try? message.frame() else { throw SystemError(number: EMSGSIZE, attempt: attempt) }
        let sent = outgoing.withLock { outgoing in
            let size = frame.withUnsafeBytes {
                bgl_send_with_descriptor(descriptor, $0.baseAddress, $0.count, attached)
            }
            outgoing.isBroken = size != frame.count && size != Int(-ETOOMANYREFS)
            return size
        }
        if sent == frame.count { return }
        // Nothing was sent before, so the socket has space for all of it.
        throw SystemError(number: sent < 0 ? Int32(-sent) : EIO, attempt: attempt)
    }

    /// Wakes the control thread, so that it checks its deadlines.
    func wake() { wakeChannel.wake() }

    /// Sends as much of the backlog as the socket accepts.
    ///
    /// - Returns: whether bytes are still waiting for the socket.
    func flush() -> Bool {
        outgoing.withLock { outgoing in
            push(&outgoing)
            if outgoing.backlog.isEmpty {
                outgoing.reportDroppedLines()
                push(&outgoing)
            }
            return !outgoing.backlog.isEmpty
        }
    }

    /// Blocks until the backlog is sent or the host has closed the socket.
    func flushWaiting() {
        while flush() {
            var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&wait, 1, -1)
        }
    }

    private func push(_ outgoing: inout Outgoing) {
        var sent = 0
        outgoing.backlog.withUnsafeBytes { bytes in
            while sent < bytes.count, !outgoing.isBroken {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
                let count = Glibc.send(descriptor, rest.baseAddress, rest.count, flags)
                if count >= 0 {
                    sent += count
                } else if errno == EAGAIN {
                    return
                } else if errno != EINTR {
                    outgoing.isBroken = true
                }
            }
        }
        if outgoing.isBroken { outgoing.backlog = [] } else { outgoing.backlog.removeFirst(sent) }
    }

    // MARK: Receiving

    enum Received {
        case bytes([UInt8])
        case nothingYet
        case end
    }

    /// Receives bytes from the host.
    ///
    /// - Parameter waits: whether to block until bytes or the end of the stream arrive.
    func receive(waits: Bool) -> Received {
        while true {
            var count = 0
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, initialized in
                count = recv(descriptor, buffer.baseAddress, buffer.count, waits ? 0 : Int32(MSG_DONTWAIT))
                failure = errno
                initialized = max(0, count)
            }
            if count > 0 { return .bytes(bytes) }
            if count == 0 { return .end }
            switch failure {
            case EINTR: continue
            case EAGAIN: return .nothingYet
            default: return .end
            }
        }
    }
}

/// A wake-up channel for a thread that polls. It is a pipe, because the Glibc module has no eventfd.
struct WakeChannel: Sendable {
    let listening: Int32
    private let writing: Int32

    /// Creates the channel; nil when no descriptor is available.
    init?() {
        var pair: [Int32] = [-1, -1]
        guard pipe(&pair) == 0 else { return nil }
        for end in pair {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        listening = pair[0]
        writing = pair[1]
    }

    func wake() {
        var one: UInt8 = 1
        // A full pipe is already readable.
        _ = write(writing, &one, 1)
    }

    func clear() {
        var bytes = (0, 0, 0, 0, 0, 0, 0, 0)
        while withUnsafeMutableBytes(of: &bytes, { read(listening, $0.baseAddress, $0.count) }) > 0 {}
    }
}
