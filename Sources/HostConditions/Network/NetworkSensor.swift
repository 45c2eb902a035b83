// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import TaskModel

/// Whether there is a network, from the kernel's links and routes; it tells when they change.
///
/// What it tells is only taken as a hint to ask for everything anew: routes that go away with their link are not
/// announced, and a table that is kept up from announcements drifts.
final class NetworkSensor: Sensor {
    private static let groups = UInt32(RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE)

    private static let patience: Duration = .seconds(5)

    private let events: Result<NetlinkSocket, SystemError>
    private var network = NetworkReading()
    private var problem: SystemError?
    /// A question that found no answer is asked again; a socket that was refused stays so.
    private(set) var nextLook: MonotonicTime?

    init(at now: MonotonicTime) {
        events = Result { () throws(SystemError) in
            try NetlinkSocket(protocol: NETLINK_ROUTE, groups: Self.groups)
        }
        // After the socket is there: what changes from now on is announced.
        look(at: now)
    }

    var awaited: Awaited? { (try? events.get()).map { Awaited(descriptor: $0.descriptor) } }

    func listen(at now: MonotonicTime) {
        guard let news = try? events.get().drain() else { return }
        if concerns(news) { look(at: now) }
    }

    func look(at now: MonotonicTime) {
        nextLook = nil
        if case .failure(let error) = events { return problem = error }
        do throws(SystemError) {
            // A socket of its own, so that no announcement comes between the answers.
            network = try NetworkReading(from: NetlinkSocket(protocol: NETLINK_ROUTE))
            problem = nil
        } catch {
            problem = error
            nextLook = now + Self.patience
        }
    }

    func write(to readings: inout Readings) {
        readings.conditions[.network] =
            problem.map { .missing($0.description) }
            ?? .measured(network.hasNetwork, from: "rtnetlink", detail: network.words)
    }

    /// Statistics, addresses and routes to single networks come by as well, on some machines all the time.
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
