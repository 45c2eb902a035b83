// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import CLinux
internal import LinuxSystem
internal import RunnerWire
internal import TaskModel

@testable internal import PluginLaunch

/// A host as the receiver of a runner's messages: its end of the socket, the count of calls, the judge of messages, and
/// the scheduler.
struct ReceivingHost {
    static func problem(with stream: [UInt8], launch: Int, _ pieces: inout Pieces) -> String? {
        let whole = DecodedStream<RunnerMessage>(whole: stream)
        if DecodedStream(stream, in: &pieces) != whole { return "the pieces of a runner's stream change its messages" }
        if let message = whole.unstable { return "a runner's message does not survive its encoding: \(message)" }
        do {
            let received = try received(stream, in: &pieces)
            guard received.messages == whole.messages, received.isMalformed == (whole.error != nil) else {
                return "the channel delivers other messages than the stream has"
            }
        } catch {
            return "the channel cannot be tried: \(error)"
        }
        var host = FuzzedHost.atWork
        return host.problem(with: whole.messages, ofLaunch: launch)
    }

    /// The messages that a `RunnerChannel` delivers when the stream is sent through its socket in pieces. The receiver
    /// refuses some messages at first.
    private static func received(
        _ stream: [UInt8],
        in pieces: inout Pieces
    ) throws(SystemError) -> (messages: [RunnerMessage], isMalformed: Bool) {
        let (near, far) = try Descriptor.socketPair()
        let now = MonotonicTime(nanoseconds: 0)
        var channel = RunnerChannel(socket: near, at: now)
        var calls = CallCount()
        var messages: [RunnerMessage] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4_096, alignment: 8)
        defer { buffer.deallocate() }
        var status = RunnerChannel.Status.open
        var rest = stream[...]
        while !rest.isEmpty, status == .open {
            let piece = rest.prefix(min(pieces.next(), 4_096))
            rest = rest.dropFirst(piece.count)
            // The socket has space for a piece: all earlier ones are read.
            _ = Array(piece).withUnsafeBytes { bgl_send(far.number, $0.baseAddress, $0.count) }
            var sizes = pieces
            let deliver = { (message: RunnerMessage) -> Bool in
                if sizes.refuses() { return false }
                if !calls.admits(message) { calls.answered() }
                messages.append(message)
                return true
            }
            status = channel.receive(into: buffer, at: now, deliver: deliver)
            while status == .open, channel.isHeld { status = channel.resume(at: now, deliver: deliver) }
            pieces = sizes
        }
        if case .malformed = status { return (messages, true) }
        return (messages, false)
    }
}
