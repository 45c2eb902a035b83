// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel
import Testing

@testable import HostConditions

@Suite("A network is available when a default route uses a link with a carrier")
struct NetworkReadingTests {
    private func link(_ index: UInt32, up: Bool = true, running: Bool = true, loopback: Bool = false)
        -> NetworkReading.Link
    {
        .init(index: index, name: "net\(index)", isUp: up, isRunning: running, isLoopback: loopback)
    }

    @Test func `a network needs a default route and a link, and the route has to use that link`() {
        #expect(NetworkReading(links: [link(2)], routes: [.init(link: 2)]).hasNetwork)
        #expect(!NetworkReading(links: [link(2)], routes: []).hasNetwork)
        #expect(!NetworkReading(links: [], routes: [.init(link: 2)]).hasNetwork)
        #expect(!NetworkReading(links: [link(2), link(3)], routes: [.init(link: 4)]).hasNetwork)
    }

    @Test func `a link that is down, has no carrier or is the loopback gives no network`() {
        for broken in [link(2, up: false), link(2, running: false), link(2, loopback: true)] {
            #expect(!NetworkReading(links: [broken], routes: [.init(link: 2)]).hasNetwork)
        }
    }

    @Test func `one usable route of several is enough for a network`() {
        let links = [link(2, running: false), link(3)]
        #expect(NetworkReading(links: links, routes: [.init(link: 2), .init(link: 3)]).hasNetwork)
    }

    @Test func `a default route that names no link counts if any link except the loopback is up`() {
        #expect(NetworkReading(links: [link(2)], routes: [.init(link: nil)]).hasNetwork)
        #expect(!NetworkReading(links: [link(1, loopback: true)], routes: [.init(link: nil)]).hasNetwork)
    }

    @Test func `the text of a network reading names the link and its state`() {
        #expect(
            NetworkReading(links: [link(2)], routes: [.init(link: 2)]).words == "default route by net2, which is up"
        )
        #expect(
            NetworkReading(links: [link(2, running: false)], routes: [.init(link: 2)]).words
                == "default route by net2, which is down or has no carrier"
        )
        #expect(NetworkReading(links: [link(2)], routes: []).words == "no default route")
    }
}

@Suite("Only well-formed kernel messages about links and routes are accepted")
struct NetlinkMessageTests {
    private func bytes<Value>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

    private func padded(_ bytes: [UInt8]) -> [UInt8] {
        bytes + Array(repeating: 0, count: bytes.count.aligned - bytes.count)
    }

    private func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        padded(bytes(rtattr(rta_len: UInt16(4 + value.count), rta_type: UInt16(type))) + value)
    }

    private func message(_ type: Int, _ body: [UInt8]) -> [UInt8] {
        var header = nlmsghdr()
        header.nlmsg_len = UInt32(MemoryLayout<nlmsghdr>.size + body.count)
        header.nlmsg_type = UInt16(type)
        return padded(bytes(header) + body)
    }

    private func linkMessage(index: Int32, flags: UInt32, name: String) -> [UInt8] {
        var info = ifinfomsg()
        info.ifi_index = index
        info.ifi_flags = flags
        return message(RTM_NEWLINK, bytes(info) + attribute(IFLA_IFNAME, Array(name.utf8) + [0]))
    }

    private func routeMessage(
        length: UInt8 = 0,
        type: Int = RTN_UNICAST,
        table: UInt32 = UInt32(RT_TABLE_MAIN.rawValue),
        _ attributes: [UInt8]
    ) -> [UInt8] {
        var route = rtmsg()
        route.rtm_family = UInt8(AF_INET)
        route.rtm_dst_len = length
        route.rtm_type = UInt8(type)
        route.rtm_table = UInt8(truncatingIfNeeded: table)
        return message(RTM_NEWROUTE, bytes(route) + attribute(Int(RTA_TABLE.rawValue), bytes(table)) + attributes)
    }

    private func by(_ link: UInt32) -> [UInt8] { attribute(Int(RTA_OIF.rawValue), bytes(link)) }

    private func routes(_ datagram: [UInt8]) -> [NetworkReading.DefaultRoute] {
        NetlinkMessage.all(in: datagram[...]).flatMap { NetworkReading.DefaultRoute.all(in: $0) }
    }

    private func links(_ datagram: [UInt8]) -> [NetworkReading.Link] {
        NetlinkMessage.all(in: datagram[...]).compactMap { NetworkReading.Link($0) }
    }

    @Test func `network links are parsed from kernel messages with name and state`() {
        let datagram = linkMessage(index: 1, flags: 0x49, name: "lo") + linkMessage(index: 2, flags: 0x43, name: "eth0")
        #expect(
            links(datagram) == [
                .init(index: 1, name: "lo", isUp: true, isRunning: true, isLoopback: true),
                .init(index: 2, name: "eth0", isUp: true, isRunning: true, isLoopback: false),
            ]
        )
    }

    @Test func `only reachable default routes of the main table count`() {
        #expect(routes(routeMessage(by(2))) == [.init(link: 2)])
        #expect(routes(routeMessage(length: 24, by(2))) == [])
        #expect(routes(routeMessage(type: RTN_UNREACHABLE, by(2))) == [])
        #expect(routes(routeMessage(table: 255, by(2))) == [])
        #expect(routes(routeMessage(table: 100_000, by(2))) == [])
        #expect(routes(routeMessage([])) == [.init(link: nil)])
    }

    @Test func `a multipath default route counts as one route per hop`() {
        func hop(_ link: Int32) -> [UInt8] {
            var hop = rtnexthop()
            hop.rtnh_len = UInt16(MemoryLayout<rtnexthop>.size)
            hop.rtnh_ifindex = link
            return bytes(hop)
        }
        let hops = attribute(Int(RTA_MULTIPATH.rawValue), hop(2) + hop(5))
        #expect(routes(routeMessage(hops)) == [.init(link: 2), .init(link: 5)])
    }

    @Test func `a netlink message cut at any byte is parsed without a crash and adds no link or route`() {
        let datagram = linkMessage(index: 2, flags: 0x43, name: "eth0") + routeMessage(by(2))
        let whole = (links(datagram), routes(datagram))
        for count in 0..<datagram.count {
            let cut = Array(datagram.prefix(count))
            #expect(links(cut).allSatisfy { whole.0.contains($0) } && routes(cut).allSatisfy { whole.1.contains($0) })
        }
    }

    @Test func `a netlink message with randomly changed bytes is parsed without a crash`() {
        var generator = SeededGenerator(seed: 1)
        let datagram = linkMessage(index: 2, flags: 0x43, name: "eth0") + routeMessage(by(2))
        for _ in 0..<20_000 {
            var broken = datagram
            for _ in 0..<3 {
                broken[Int.random(in: 0..<broken.count, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            // Reading ends for any contents.
            #expect(links(broken).count + routes(broken).count <= datagram.count)
        }
    }
}

@Suite("The network condition follows the kernel's notifications", .serialized)
struct NetworkSensorTests {
    @Test func `this machine's loopback link is read from the kernel, and reading and sensor agree about the network`()
        throws
    {
        let network = try NetworkReading(from: NetlinkSocket(protocol: NETLINK_ROUTE))
        #expect(network.links.contains { $0.isLoopback && $0.name == "lo" })
        #expect(NetworkSensor(at: .now).reading(.network)?.holds == network.hasNetwork)
    }

    @Test(.enabled(if: Namespace.isAllowed, "a network namespace with links takes root, ip and the kernel's veth"))
    func `added and removed network links and routes change the network condition, in IPv4 and IPv6`() throws {
        // Deviations are collected and returned: the thread does not belong to a test.
        let missed = try Namespace.run {
            var missed: [String] = []
            let sensor = NetworkSensor(at: .now)
            func expect(_ detail: String, _ holds: Bool, after commands: String...) {
                for command in commands where !Machine.run("ip", command.split(separator: " ").map(String.init)) {
                    missed.append("ip \(command)")
                }
                let expected = ConditionReading.measured(holds, from: "rtnetlink", detail: detail)
                if !sensor.listens(until: { sensor.reading(.network) == expected }) {
                    missed.append("\(detail), but \(String(describing: sensor.reading(.network)))")
                }
            }
            let up = "default route by near, which is up"
            let down = "default route by near, which is down or has no carrier"
            expect("no default route", false)
            expect("no default route", false, after: "link add near type veth peer name far")
            expect("no default route", false, after: "link set near up", "link set far up")
            expect(up, true, after: "route add default dev near")
            // The other end loses its carrier; the route stays.
            expect(down, false, after: "link set far down")
            expect(up, true, after: "link set far up")
            // The kernel sends no message for a route that is removed with its link.
            expect("no default route", false, after: "link set near down")
            expect(up, true, after: "link set near up", "-6 route add default dev near")
            expect("no default route", false, after: "-6 route del default dev near")
            return missed
        }
        #expect(missed == [])
    }
}
