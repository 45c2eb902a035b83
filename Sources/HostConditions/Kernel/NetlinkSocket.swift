// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// A netlink socket that receives the kernel's reports or requests its tables. It does not interpret messages.
final class NetlinkSocket {
    /// The result of one `drain`.
    enum News {
        case messages([ArraySlice<UInt8>])
        /// Messages were lost, because the socket was full or could not be read. The state has to be read anew.
        case lost
    }

    private static let capacity = 65536
    /// Maximum number of messages of one `drain`, so that a flood of reports does not occupy the thread.
    private static let batch = 1024

    let descriptor: Descriptor

    init(protocol number: Int32, groups: UInt32 = 0) throws(SystemError) {
        descriptor = Descriptor(
            owning: try SystemError.check(bgl_netlink_open(number, groups), "open a netlink socket")
        )
    }

    /// Returns the messages that have arrived. Never blocks.
    func drain() -> News {
        var messages: [ArraySlice<UInt8>] = []
        var isLost = false
        while messages.count < Self.batch {
            do throws(SystemError) {
                messages.append(try receive(waits: false))
            } catch {
                if error.number == EAGAIN { break }
                isLost = true
                if error.number != ENOBUFS && error.number != EMSGSIZE { break }
            }
        }
        return isLost ? .lost : .messages(messages)
    }

    /// Requests a table of the kernel, and waits for the complete answer.
    ///
    /// - Parameter body: the fixed part of the request, and attributes that restrict the table.
    func dump(_ type: Int, _ body: [UInt8]) throws(SystemError) -> [NetlinkMessage] {
        // An answer during which the table changed may have gaps, so the request is repeated.
        for _ in 0..<5 {
            if let messages = try dumpOnce(type, body) { return messages }
        }
        throw SystemError(
            number: EINTR,
            attempt: "read the kernel's netlink tables, which changed during each of 5 attempts"
        )
    }

    /// Requests a table of the kernel once, and returns its messages; nil when the table changed during the answer. The
    /// parameters are those of `dump`.
    private func dumpOnce(_ type: Int, _ body: [UInt8]) throws(SystemError) -> [NetlinkMessage]? {
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + body.count)
        header.nlmsg_type = UInt16(type)
        header.nlmsg_flags = UInt16(NLM_F_REQUEST | NLM_F_DUMP)
        let request = withUnsafeBytes(of: header) { Array($0) } + body
        let sent = bgl_send(descriptor.number, request, request.count)
        if sent < 0 { throw SystemError(number: Int32(-sent), attempt: "send a request to the netlink socket") }

        var answer: [NetlinkMessage] = []
        var isWhole = true
        while true {
            for message in NetlinkMessage.all(in: try receive(waits: true)) {
                if Int32(message.flags) & NLM_F_DUMP_INTR != 0 { isWhole = false }
                switch Int32(message.type) {
                case NLMSG_DONE: return isWhole ? answer : nil
                case NLMSG_ERROR:
                    let number = message.body.value(of: Int32.self) ?? -EPROTO
                    throw SystemError(number: -number, attempt: "read the kernel's netlink tables")
                default: answer.append(message)
                }
            }
        }
    }

    private func receive(waits: Bool) throws(SystemError) -> ArraySlice<UInt8> {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.capacity) { buffer, filled in
            count = bgl_netlink_receive(descriptor.number, buffer.baseAddress, Self.capacity, waits ? 1 : 0)
            filled = max(0, count)
        }
        if count < 0 { throw SystemError(number: Int32(-count), attempt: "receive from the netlink socket") }
        return bytes[...]
    }
}
