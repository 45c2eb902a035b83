// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
package import LinuxSystem
package import TaskModel

/// A connection to a message bus, with the properties and signals that it follows.
///
/// Confined to one thread, which it never blocks: the thread waits for `awaited` and `nextTurn`, then calls `dispatch`.
/// A closed connection has no descriptor and no timer. An open connection that fails connects again, after growing
/// delays of at most 5 minutes. Without the library it stays failed.
package final class BusConnection {
    package enum State: Hashable, Sendable {
        case closed
        case open
        /// The connection failed. The value is the cause, with the address or the library.
        case failed(String)
    }

    /// Maximum number of messages per turn, so that a flood of signals does not occupy the thread.
    static let messagesPerTurn = 64
    /// Timeout for the reply to a call, in microseconds.
    private static let callTimeout: UInt64 = 4_000_000

    private let address: BusAddress
    private let library: BusLibrary?
    private var link: (bus: BusLibrary.Bus, descriptor: Descriptor)?
    private var backoff = Backoff()
    private var retry: MonotonicTime?
    private var properties: [BusProperty] = []
    private var subscriptions: [(match: BusMatch, handler: Receiver.Handler)] = []
    /// The handlers whose addresses the library has. The table keeps them alive.
    private var receivers: [ObjectIdentifier: Receiver] = [:]
    package private(set) var state = State.closed

    package init(_ address: BusAddress, library: BusLibrary? = .loaded) {
        self.address = address
        self.library = library
    }

    deinit { disconnect() }

    /// Follows a property from the next `open` on: reads its value, and reads it again after each change.
    package func follow(_ property: BusProperty) {
        properties.append(property)
        for match in [BusMatch.changes(of: property), .owner(of: property.service)] {
            receive(match) { _ in property.isStale = true }
        }
    }

    /// Subscribes to signals from the next `open` on. The handler must not call the connection.
    package func receive(_ match: BusMatch, _ handler: @escaping (borrowing BusMessage) -> Void) {
        subscriptions.append((match, handler))
    }

    // MARK: The thread's part

    /// Socket of the connection, and whether the connection waits to write; nil without a socket.
    package var awaited: (descriptor: Descriptor, isWriting: Bool)? {
        guard let library, let link else { return nil }
        let events = library.events(link.bus)
        return (link.descriptor, events > 0 && events & Int32(POLLOUT) != 0)
    }

    /// Time at which `dispatch` is due even if the socket is not ready: for a timeout, the rest of a turn or a new
    /// attempt to connect. Nil when `dispatch` is due only while the socket is ready.
    package var nextTurn: MonotonicTime? {
        guard let library, let link else { return retry }
        var microseconds = UInt64.max
        guard library.timeout(link.bus, &microseconds) >= 0, microseconds < UInt64(Int64.max) / 1_000 else {
            return nil
        }
        return MonotonicTime(nanoseconds: Int64(microseconds) * 1_000)
    }

    package func open(at now: MonotonicTime) {
        guard state == .closed else { return }
        connect(at: now)
    }

    package func close() {
        disconnect()
        state = .closed
        backoff.reset()
        retry = nil
        for property in properties { property.reset(.unread) }
    }

    /// Connects again when that is due, handles at most `messagesPerTurn` messages, and sends the due reads.
    package func dispatch(at now: MonotonicTime) {
        if let retry, retry <= now { connect(at: now) }
        var rest = Self.messagesPerTurn
        while rest > 0, let library, let link {
            let status = library.process(link.bus, nil)
            if status < 0 { return fail(String(cString: strerror(-status)), at: now) }
            if status == 0 { break }
            rest -= 1
        }
        for property in properties where property.isStale && !property.isInFlight { request(property, at: now) }
    }

    // MARK: Connecting

    private func connect(at now: MonotonicTime) {
        retry = nil
        guard let library else { return refuse("\(BusLibrary.name) is not installed") }
        var made: BusLibrary.Bus?
        guard library.new(&made) >= 0, let bus = made else { return fail("out of memory", at: now) }
        var status = library.setAddress(bus, address.text)
        if status >= 0 { status = library.setClient(bus, 1) }
        if status >= 0 { status = library.start(bus) }
        let number = status >= 0 ? Self.copy(library.descriptor(bus)) : status
        guard number >= 0 else {
            library.close(bus)
            _ = library.release(bus)
            return fail(String(cString: strerror(-number)), at: now)
        }
        link = (bus, Descriptor(owning: number))
        state = .open
        for (match, handler) in subscriptions {
            let status = library.addMatch(bus, nil, match.rule, busMessageArrived, nil, keep(handler, isOnce: false))
            if status < 0 { return fail(String(cString: strerror(-status)), at: now) }
        }
        for property in properties { request(property, at: now) }
        dispatch(at: now)
    }

    /// A duplicate of the library's descriptor, which this module can close independently; a negative error number on
    /// failure.
    private static func copy(_ number: Int32) -> Int32 {
        guard number >= 0 else { return number }
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        return copy >= 0 ? copy : -errno
    }

    private func fail(_ cause: String, at now: MonotonicTime) {
        disconnect()
        retry = now + backoff.next()
        refuse("no connection to the message bus \(address): \(cause)")
    }

    private func refuse(_ cause: String) {
        state = .failed(cause)
        for property in properties { property.reset(.unavailable(cause)) }
    }

    private func disconnect() {
        if let library, let link {
            library.close(link.bus)
            _ = library.release(link.bus)
        }
        link = nil
        receivers = [:]
    }

    // MARK: Calls

    private func request(_ property: BusProperty, at now: MonotonicTime) {
        guard let library, let link else { return }
        property.isStale = false
        var made: BusLibrary.Message?
        let creation = library.newCall(
            link.bus,
            &made,
            property.service,
            property.path,
            BusProperty.interface,
            "Get"
        )
        guard creation >= 0, let call = made else {
            return fail("cannot create a method call: \(String(cString: strerror(-creation)))", at: now)
        }
        defer { _ = library.releaseMessage(call) }
        // A service that does not run stays so: a query of its state is no cause to start it.
        _ = library.setStartsService(call, 0)
        for text in [property.interface, property.name] {
            _ = text.withCString { library.append(call, CChar(UInt8(ascii: "s")), $0) }
        }
        let context = keep({ property.take($0) }, isOnce: true)
        let status = library.call(link.bus, nil, call, busMessageArrived, context, Self.callTimeout)
        if status < 0 { return fail(String(cString: strerror(-status)), at: now) }
        property.isInFlight = true
    }

    /// Keeps a handler alive for as long as the library may call it. Returns the pointer to pass to the library.
    ///
    /// - Parameter isOnce: whether the handler is released at its first call, as for a reply.
    private func keep(_ handler: @escaping Receiver.Handler, isOnce: Bool) -> UnsafeMutableRawPointer {
        let receiver = Receiver(self, handler, isOnce: isOnce)
        receivers[ObjectIdentifier(receiver)] = receiver
        return Unmanaged.passUnretained(receiver).toOpaque()
    }

    fileprivate func deliver(_ message: BusLibrary.Message, to receiver: Receiver) {
        guard let library, link != nil else { return }
        if receiver.isOnce { receivers[ObjectIdentifier(receiver)] = nil }
        let message = BusMessage(message, of: library)
        // An error may be the library's own, for a connection that ended.
        if message.error == nil { backoff.reset() }
        receiver.handler(message)
    }
}

/// A signal or reply handler with its connection. The library stores the address of this object and passes it to each
/// callback.
private final class Receiver {
    typealias Handler = (borrowing BusMessage) -> Void

    unowned let connection: BusConnection
    let handler: Handler
    /// Whether the handler is for a reply, so that it is called once and then released.
    let isOnce: Bool

    init(_ connection: BusConnection, _ handler: @escaping Handler, isOnce: Bool) {
        self.connection = connection
        self.handler = handler
        self.isOnce = isOnce
    }
}

// Called while the connection processes messages, on its thread: receiver and connection exist.
private func busMessageArrived(
    _ message: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutableRawPointer?
) -> Int32 {
    guard let message, let context else { return 0 }
    let receiver = Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
    receiver.connection.deliver(message, to: receiver)
    return 0
}
