// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem

/// Queries logind for an active session, and receives its changes. Belongs to one thread, and never blocks.
final class SessionManager {
    enum Presence: Equatable {
        case present
        case absent
        /// logind has not answered yet.
        case unknown
        case missing(String)
    }

    private static let service = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let patience: UInt64 = 4_000_000

    private let address: String
    private var connection: (library: BusLibrary, bus: BusLibrary.Bus, descriptor: Descriptor)?
    private var isAsking = false
    private var hasChanged = false
    private(set) var presence = Presence.unknown

    init(address: String) { self.address = address }

    deinit { close() }

    var awaited: Awaited? {
        guard let connection else { return nil }
        let events = connection.library.events(connection.bus)
        let isWriting = events > 0 && events & Int32(POLLOUT) != 0
        return Awaited(descriptor: connection.descriptor, events: BGL_READABLE | (isWriting ? BGL_WRITABLE : 0))
    }

    /// Sends the query. Connects first when there is no connection.
    func ask() {
        if connection == nil { open() }
        if !isAsking { send() }
        listen()
    }

    /// Processes the messages that have arrived.
    func listen() {
        while let connection {
            let status = connection.library.process(connection.bus, nil)
            if status < 0 { return fail(String(cString: strerror(-status))) }
            if status > 0 { continue }
            // Sent only here: the library's handlers must not call the library.
            guard hasChanged, !isAsking else { return }
            send()
        }
    }

    private func send() {
        guard let (library, bus, _) = connection else { return }
        hasChanged = false
        var call: BusLibrary.Message?
        guard library.newCall(bus, &call, Self.service, Self.path, Self.properties, "Get") >= 0, let call else {
            return fail("it takes no calls")
        }
        defer { _ = library.releaseMessage(call) }
        // The call must not start logind on a machine that does not run it.
        _ = library.setStartsService(call, 0)
        for text in ["\(Self.service).Manager", "IdleHint"] {
            _ = text.withCString { library.append(call, CChar(UInt8(ascii: "s")), $0) }
        }
        let status = library.call(bus, nil, call, sessionManagerAnswered, context, Self.patience)
        if status < 0 { return fail(String(cString: strerror(-status))) }
        isAsking = true
    }

    func close() {
        guard let connection else { return }
        connection.library.close(connection.bus)
        _ = connection.library.release(connection.bus)
        self.connection = nil
        isAsking = false
        hasChanged = false
        presence = .unknown
    }

    private func open() {
        guard let library = BusLibrary.loaded else {
            presence = .missing("\(BusLibrary.name) is not installed")
            return
        }
        var bus: BusLibrary.Bus?
        guard library.new(&bus) >= 0, let bus else { return presence = .missing("out of memory") }
        var status = library.setAddress(bus, address)
        if status >= 0 { status = library.setClient(bus, 1) }
        if status >= 0 { status = library.start(bus) }
        let number = status >= 0 ? copyNumber(library.descriptor(bus)) : status
        guard number >= 0 else {
            library.close(bus)
            _ = library.release(bus)
            presence = .missing("\(address): \(String(cString: strerror(-number)))")
            return
        }
        connection = (library, bus, Descriptor(owning: number))
        _ = library.listen(
            bus,
            nil,
            Self.service,
            Self.path,
            Self.properties,
            "PropertiesChanged",
            sessionManagerChanged,
            nil,
            context
        )
    }

    /// A duplicate of the connection's socket descriptor, owned by this object.
    private func copyNumber(_ number: Int32) -> Int32 {
        guard number >= 0 else { return number }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        return copy >= 0 ? copy : -errno
    }

    private func fail(_ words: String) {
        close()
        presence = .missing("\(address): \(words)")
    }

    // The connection, and with it every call of its handlers, ends before this object does.
    private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    // MARK: Handlers of the library

    fileprivate func answered(_ message: BusLibrary.Message) {
        isAsking = false
        guard let library = connection?.library else { return }
        var isIdle: Int32 = 0
        if let error = library.errorName(of: message) {
            let isAway = ["ServiceUnknown", "NameHasNoOwner"].contains { error.hasSuffix($0) }
            presence = .missing("\(Self.service) \(isAway ? "is not on the bus" : "does not answer (\(error))")")
        } else if library.enter(message, CChar(UInt8(ascii: "v")), "b") > 0,
            library.read(message, CChar(UInt8(ascii: "b")), &isIdle) > 0
        {
            presence = isIdle != 0 ? .absent : .present
        } else {
            presence = .missing("\(Self.service) gives no IdleHint")
        }
    }

    fileprivate func changed() { hasChanged = true }
}

// Called on the thread that processes the connection, during the processing: the object is alive and not in use
// elsewhere.

private func sessionManagerAnswered(
    _ message: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutableRawPointer?
) -> Int32 {
    guard let message, let context else { return 0 }
    Unmanaged<SessionManager>.fromOpaque(context).takeUnretainedValue().answered(message)
    return 0
}

private func sessionManagerChanged(
    _ message: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<SessionManager>.fromOpaque(context).takeUnretainedValue().changed()
    return 0
}
