// Part of bgtask, under the Apache License 2.0; see LICENSE.

import MessageBus
import TaskModel

/// Follows the hint of logind whether all sessions are idle. Confined to one thread, and never blocks.
final class SessionManager {
    enum Presence: Equatable {
        case present
        case absent
        /// logind has not answered yet.
        case unknown
        case missing(String)
    }

    private static let service = "org.freedesktop.login1"

    private let bus: BusConnection
    private let isIdle = BusProperty(
        "IdleHint",
        of: "\(service).Manager",
        at: "/org/freedesktop/login1",
        service: service
    )

    init(address: BusAddress) {
        bus = BusConnection(address)
        bus.follow(isIdle)
    }

    var presence: Presence {
        switch isIdle.reading {
        case .unread: .unknown
        case .value(.boolean(let isIdle)): isIdle ? .absent : .present
        case .value: .missing("\(Self.service) returns no readable IdleHint")
        case .unavailable(let cause): .missing(cause)
        }
    }

    var awaited: Awaited? { Awaited(bus) }
    var nextTurn: MonotonicTime? { bus.nextTurn }

    func open(at now: MonotonicTime) { bus.open(at: now) }
    func close() { bus.close() }
    func dispatch(at now: MonotonicTime) { bus.dispatch(at: now) }
}
