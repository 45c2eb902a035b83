// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

// Parsing of links and routes from netlink messages.
extension NetworkReading {
    /// Requests all links and all default routes from the kernel.
    init(from socket: NetlinkSocket) throws(SystemError) {
        var question = ifinfomsg()
        question.ifi_family = UInt8(AF_UNSPEC)
        links = try socket.dump(RTM_GETLINK, withUnsafeBytes(of: question) { Array($0) })
            .compactMap { Link($0) }
        for family in [AF_INET, AF_INET6] {
            var question = rtmsg()
            question.rtm_family = UInt8(family)
            question.rtm_table = UInt8(RT_TABLE_MAIN.rawValue)
            do throws(SystemError) {
                routes += try socket.dump(RTM_GETROUTE, withUnsafeBytes(of: question) { Array($0) })
                    .flatMap { DefaultRoute.all(in: $0) }
            } catch {
                // The kernel does not support this address family.
                guard [EOPNOTSUPP, EAFNOSUPPORT, ENOENT].contains(error.number) else { throw error }
            }
        }
    }
}

extension NetworkReading.Link {
    private static let up: UInt32 = 0x1
    private static let loopback: UInt32 = 0x8
    private static let running: UInt32 = 0x40

    init?(_ message: NetlinkMessage) {
        guard Int(message.type) == RTM_NEWLINK, let info = message.body.value(of: ifinfomsg.self), info.ifi_index > 0
        else { return nil }
        let attributes = NetlinkAttributes(message.body.dropFirst(MemoryLayout<ifinfomsg>.size.aligned))
        index = UInt32(info.ifi_index)
        name = attributes.text(IFLA_IFNAME) ?? "link \(info.ifi_index)"
        isUp = info.ifi_flags & Self.up != 0
        isRunning = info.ifi_flags & Self.running != 0
        isLoopback = info.ifi_flags & Self.loopback != 0
    }
}

extension NetworkReading.DefaultRoute {
    /// The default routes in a message, one per next hop. Empty for routes to individual networks, for routes that do
    /// not forward packets, and for tables other than the main one.
    static func all(in message: NetlinkMessage) -> [Self] {
        guard [RTM_NEWROUTE, RTM_DELROUTE].contains(Int(message.type)),
            let route = message.body.value(of: rtmsg.self), route.rtm_dst_len == 0,
            Int(route.rtm_type) == RTN_UNICAST
        else { return [] }
        let attributes = NetlinkAttributes(message.body.dropFirst(MemoryLayout<rtmsg>.size.aligned))
        let table = attributes.number(Int(RTA_TABLE.rawValue)) ?? UInt32(route.rtm_table)
        guard table == RT_TABLE_MAIN.rawValue else { return [] }
        if let link = attributes.number(Int(RTA_OIF.rawValue)) { return [Self(link: link)] }
        guard let hops = attributes.bytes(Int(RTA_MULTIPATH.rawValue)) else { return [Self(link: nil)] }
        return nextHops(hops)
    }

    private static func nextHops(_ bytes: ArraySlice<UInt8>) -> [Self] {
        var routes: [Self] = []
        var rest = bytes
        while let hop = rest.value(of: rtnexthop.self) {
            let length = Int(hop.rtnh_len)
            guard length >= MemoryLayout<rtnexthop>.size, length <= rest.count else { break }
            if hop.rtnh_ifindex > 0 { routes.append(Self(link: UInt32(hop.rtnh_ifindex))) }
            rest = rest.dropFirst(length.aligned)
        }
        return routes
    }
}
