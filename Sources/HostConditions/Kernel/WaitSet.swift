// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import LinuxSystem
import MessageBus

/// A descriptor whose readiness wakes a sensor.
struct Awaited {
    let descriptor: Descriptor
    var events = BGL_READABLE
}

extension Awaited {
    /// The socket of a bus connection, with the events to wait for; nil when the connection has no socket.
    init?(_ bus: BusConnection) {
        guard let (descriptor, isWriting) = bus.awaited else { return nil }
        self.init(descriptor: descriptor, events: BGL_READABLE | (isWriting ? BGL_WRITABLE : 0))
    }
}

/// Waits for the descriptors of all sensors at once, each under the index of its sensor. Confined to one thread.
final class WaitSet {
    private enum Interest: Hashable {
        case wakeChannel
        case place(Int)
    }

    private let poll: EpollSet<Interest>
    private let wakeChannel: Descriptor
    private var places: [Int: Awaited] = [:]

    init(wokenBy wakeChannel: Descriptor) throws(SystemError) {
        self.wakeChannel = wakeChannel
        poll = try EpollSet()
        try poll.add(wakeChannel, .wakeChannel)
    }

    /// Replaces the descriptor that the set waits for on behalf of a sensor.
    ///
    /// - Returns: whether the sensor has to read its file again: true after a file that signals `BGL_CHANGED` was
    ///   added. The kernel reports each change of the file to one poll only, and adding the file is itself a poll.
    func set(_ awaited: Awaited?, at place: Int) throws(SystemError) -> Bool {
        if let old = places[place] {
            if let awaited, old.descriptor === awaited.descriptor {
                guard old.events != awaited.events else { return false }
                places[place] = awaited
                poll.change(awaited.descriptor, .place(place), events: awaited.events)
                return false
            }
            // The descriptor is still open, because `places` holds it.
            poll.remove(old.descriptor, .place(place))
            places[place] = nil
        }
        guard let awaited else { return false }
        try poll.add(awaited.descriptor, .place(place), events: awaited.events)
        places[place] = awaited
        return awaited.events & BGL_CHANGED != 0
    }

    /// Waits until a sensor is ready, and returns the indices of the ready sensors.
    ///
    /// - Parameter timeout: the maximum wait; nil for no limit.
    func wait(timeout: Duration?) -> [Int] {
        poll.wait(timeout: timeout).compactMap { readiness in
            switch readiness.interest {
            case .wakeChannel:
                bgl_eventfd_clear(wakeChannel.number)
                return nil
            case .place(let place): return place
            }
        }
    }
}
