// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import LinuxSystem
import Synchronization

@testable import HostConditions

/// A message bus of one test, on which a stand-in for logind can answer.
final class SessionBus: Sendable {
    let tree: FileTree

    static let isAllowed = Machine.has("dbus-daemon") && BusLibrary.loaded != nil && Answering.functions != nil

    init() throws {
        tree = try FileTree()
        try tree.write(
            "bus.conf",
            """
            <busconfig>
              <type>system</type>
              <listen>unix:path=\(tree.path)/bus</listen>
              <pidfile>\(tree.path)/pid</pidfile>
              <auth>EXTERNAL</auth>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
                <allow own="*"/><allow user="*"/>
              </policy>
            </busconfig>
            """
        )
        // The daemon forks once it listens.
        guard Machine.run("dbus-daemon", "--config-file=\(tree.path)/bus.conf", "--fork") else {
            throw SystemError(number: ENOENT, attempt: "start a bus")
        }
    }

    var address: String { "unix:path=\(tree.path)/bus" }

    func stop() {
        guard let pid = SystemFile.number("\(tree.path)/pid") else { return }
        kill(pid_t(pid), SIGKILL)
    }

    deinit { stop() }
}

/// A stand-in for logind on a bus: reports whether the sessions are idle, and signals changes.
final class StandInManager: Sendable {
    struct State {
        var isIdle: Bool
        var hasChanged = false
        var isStopping = false
    }

    fileprivate let state: Mutex<State>
    private let stopped = DispatchSemaphore(value: 0)

    /// Returns after the stand-in has joined the bus.
    init(on address: String, isIdle: Bool) throws {
        state = Mutex(State(isIdle: isIdle))
        guard let library = BusLibrary.loaded, let answering = Answering.functions else {
            throw SystemError(number: ENOENT, attempt: "load the library")
        }
        var made: OpaquePointer?
        guard library.new(&made) >= 0, let bus = made, library.setAddress(bus, address) >= 0,
            library.setClient(bus, 1) >= 0, library.start(bus) >= 0,
            answering.addObject(
                bus,
                nil,
                "/org/freedesktop/login1",
                standInAsked,
                Unmanaged.passUnretained(self).toOpaque()
            )
                >= 0,
            answering.requestName(bus, "org.freedesktop.login1", 0) >= 0
        else { throw SystemError(number: EIO, attempt: "come to the bus") }
        let number = UInt(bitPattern: bus)
        // The thread keeps this object alive until `stop`.
        Thread { [self] in serve(number, library, answering) }.start()
    }

    func becomes(idle: Bool) {
        state.withLock { state in
            state.isIdle = idle
            state.hasChanged = true
        }
    }

    func stop() {
        state.withLock { $0.isStopping = true }
        stopped.wait()
    }

    private func serve(_ number: UInt, _ library: BusLibrary, _ answering: Answering) {
        guard let bus = OpaquePointer(bitPattern: number) else { return }
        while !state.withLock(\.isStopping) {
            while library.process(bus, nil) > 0 {}
            let hasChanged = state.withLock { state in
                defer { state.hasChanged = false }
                return state.hasChanged
            }
            if hasChanged { answering.tellChange(bus) }
            _ = answering.wait(bus, 5_000)
        }
        library.close(bus)
        _ = library.release(bus)
        stopped.signal()
    }
}

/// The functions of systemd's client library for answers, in addition to those for calls.
struct Answering: Sendable {
    typealias Bus = OpaquePointer
    typealias Text = UnsafePointer<CChar>

    let addObject: @convention(c) (Bus, BusLibrary.Out?, Text, BusLibrary.Handler, UnsafeMutableRawPointer?) -> Int32
    let requestName: @convention(c) (Bus, Text, UInt64) -> Int32
    let wait: @convention(c) (Bus, UInt64) -> Int32
    let newReturn: @convention(c) (OpaquePointer, BusLibrary.Out) -> Int32
    let newSignal: @convention(c) (Bus, BusLibrary.Out, Text, Text, Text) -> Int32
    let open: @convention(c) (OpaquePointer, CChar, Text) -> Int32
    let close: @convention(c) (OpaquePointer) -> Int32
    let send: @convention(c) (Bus?, OpaquePointer, UnsafeMutableRawPointer?) -> Int32

    static let functions = Answering()

    init?() {
        guard let handle = dlopen(BusLibrary.name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        func function<Function>(_ symbol: String, _ type: Function.Type = Function.self) -> Function? {
            dlsym(handle, "sd_bus_\(symbol)").map { unsafeBitCast($0, to: type) }
        }
        guard
            let addObject:
                @convention(c) (Bus, BusLibrary.Out?, Text, BusLibrary.Handler, UnsafeMutableRawPointer?) -> Int32 =
                function("add_object"),
            let requestName: @convention(c) (Bus, Text, UInt64) -> Int32 = function("request_name"),
            let wait: @convention(c) (Bus, UInt64) -> Int32 = function("wait"),
            let newReturn: @convention(c) (OpaquePointer, BusLibrary.Out) -> Int32 = function(
                "message_new_method_return"
            ),
            let newSignal: @convention(c) (Bus, BusLibrary.Out, Text, Text, Text) -> Int32 = function(
                "message_new_signal"
            ),
            let open: @convention(c) (OpaquePointer, CChar, Text) -> Int32 = function("message_open_container"),
            let close: @convention(c) (OpaquePointer) -> Int32 = function("message_close_container"),
            let send: @convention(c) (Bus?, OpaquePointer, UnsafeMutableRawPointer?) -> Int32 = function("send")
        else { return nil }
        (self.addObject, self.requestName, self.wait) = (addObject, requestName, wait)
        (self.newReturn, self.newSignal, self.open, self.close, self.send) = (newReturn, newSignal, open, close, send)
    }

    func answer(_ call: OpaquePointer, isIdle: Bool) {
        var made: OpaquePointer?
        guard let library = BusLibrary.loaded, newReturn(call, &made) >= 0, let reply = made else { return }
        var value: Int32 = isIdle ? 1 : 0
        _ = open(reply, CChar(UInt8(ascii: "v")), "b")
        _ = library.append(reply, CChar(UInt8(ascii: "b")), &value)
        _ = close(reply)
        _ = send(nil, reply, nil)
        _ = library.releaseMessage(reply)
    }

    func tellChange(_ bus: Bus) {
        var made: OpaquePointer?
        let properties = "org.freedesktop.DBus.Properties"
        guard let library = BusLibrary.loaded,
            newSignal(bus, &made, "/org/freedesktop/login1", properties, "PropertiesChanged") >= 0, let signal = made
        else { return }
        _ = send(bus, signal, nil)
        _ = library.releaseMessage(signal)
    }
}

private func standInAsked(
    _ message: OpaquePointer?,
    _ context: UnsafeMutableRawPointer?,
    _ error: UnsafeMutableRawPointer?
) -> Int32 {
    guard let message, let context else { return 0 }
    let manager = Unmanaged<StandInManager>.fromOpaque(context).takeUnretainedValue()
    Answering.functions?.answer(message, isIdle: manager.state.withLock(\.isIdle))
    return 1
}
