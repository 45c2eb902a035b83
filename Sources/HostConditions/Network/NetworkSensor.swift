// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Detects a network from the kernel's links and routes. The kernel reports their changes.
///
/// A report only causes a new query of all links and routes. Routes that vanish with their link are not reported, so a
/// table maintained from reports would become wrong.
final class NetworkSensor: Sensor {
    private static let groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)

    private static let retryDelay: Duration = .seconds(5)

    private let events: Result<NetlinkSocket, SystemError>
    private var network = NetworkReading()
    private var problem: SystemError?
    /// Time at which a failed query is repeated; nil otherwise. The creation of the socket for reports is not retried.
    private(set) var nextSample: MonotonicTime?

    init(at now: MonotonicTime) {
        events = Result { () throws(SystemError) in
            try NetlinkSocket(protocol: NETLINK_ROUTE, groups: Self.groups)
        }
        // The first query follows the creation of the socket: every later change is reported.
        sample(at: now)
    }

    var awaited: Awaited? { (try? events.get()).map { Awaited(descriptor: $0.descriptor) } }

    func listen(at now: MonotonicTime) {
        guard let news = try? events.get().drain() else { return }
        if concerns(news) { sample(at: now) }
    }

    func sample(at now: MonotonicTime) {
        nextSample = nil
        if case .failure(let error) = events { return problem = error }
        do throws(SystemError) {
            // The query has a separate socket, so that no report mixes with its answers.
            network = try NetworkReading(from: NetlinkSocket(protocol: NETLINK_ROUTE))
            problem = nil
        } catch {
            problem = error
            nextSample = now + Self.retryDelay
        }
    }

    func write(to readings: inout Readings) {
        readings.conditions[.network] =
            problem.map { .missing($0.description) }
            ?? .measured(network.hasNetwork, from: "rtnetlink", detail: network.words)
    }

    /// Whether messages can change the reading. The kernel also reports statistics, addresses and routes to individual
    /// networks, on some machines all the time.
    private func concerns(_ news: NetlinkSocket.News) -> Bool {
        guard problem == nil, case .messages(let datagrams) = news else { return true }
        return datagrams.contains { datagram in
            NetlinkMessage.all(in: datagram).contains { message in
                switch Int(message.type) {
                case RTM_NEWLINK: NetworkReading.Link(message).map { !network.links.contains($0) } ?? true
                case RTM_DELLINK: true
                default: !NetworkReading.DefaultRoute.all(in: message).isEmpty
                }
            }
        }
    }
}
