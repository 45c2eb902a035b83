// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The functions of systemd's client library that are needed for one query of the session manager.
///
/// The library is loaded when a decision first depends on idleness. Machines without systemd can run the host, and
/// machines without such decisions are spared the library. Its functions and their types are a stable interface.
struct BusLibrary: Sendable {
    typealias Bus = OpaquePointer
    typealias Message = OpaquePointer
    typealias Text = UnsafePointer<CChar>
    typealias Out = UnsafeMutablePointer<OpaquePointer?>
    typealias Handler =
        @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32

    let new: @convention(c) (Out) -> Int32
    let setAddress: @convention(c) (Bus, Text) -> Int32
    let setClient: @convention(c) (Bus, Int32) -> Int32
    let start: @convention(c) (Bus) -> Int32
    let descriptor: @convention(c) (Bus) -> Int32
    let events: @convention(c) (Bus) -> Int32
    let process: @convention(c) (Bus, Out?) -> Int32
    let close: @convention(c) (Bus) -> Void
    let release: @convention(c) (Bus) -> OpaquePointer?
    let listen: @convention(c) (Bus, Out?, Text, Text, Text, Text, Handler, Handler?, UnsafeMutableRawPointer?) -> Int32
    let newCall: @convention(c) (Bus, Out, Text, Text, Text, Text) -> Int32
    let setStartsService: @convention(c) (Message, Int32) -> Int32
    let append: @convention(c) (Message, CChar, UnsafeRawPointer) -> Int32
    let call: @convention(c) (Bus, Out?, Message, Handler, UnsafeMutableRawPointer?, UInt64) -> Int32
    let error: @convention(c) (Message) -> UnsafeRawPointer?
    let enter: @convention(c) (Message, CChar, Text?) -> Int32
    let read: @convention(c) (Message, CChar, UnsafeMutableRawPointer) -> Int32
    let releaseMessage: @convention(c) (Message) -> OpaquePointer?

    static let name = "libsystemd.so.0"
    /// The loaded library; nil when it or a needed function is missing. Never unloaded.
    static let loaded = BusLibrary(named: name)

    init?(named name: String) {
        guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
        // The types are those of the library's headers: sd-bus.h.
        func function<Function>(_ symbol: String, _ type: Function.Type = Function.self) throws(Missing) -> Function {
            guard let address = dlsym(handle, "sd_bus_\(symbol)") else { throw Missing() }
            return unsafeBitCast(address, to: type)
        }
        do throws(Missing) {
            new = try function("new")
            setAddress = try function("set_address")
            setClient = try function("set_bus_client")
            start = try function("start")
            descriptor = try function("get_fd")
            events = try function("get_events")
            process = try function("process")
            close = try function("close")
            release = try function("unref")
            listen = try function("match_signal_async")
            newCall = try function("message_new_method_call")
            setStartsService = try function("message_set_auto_start")
            append = try function("message_append_basic")
            call = try function("call_async")
            error = try function("message_get_error")
            enter = try function("message_enter_container")
            read = try function("message_read_basic")
            releaseMessage = try function("message_unref")
        } catch {
            return nil
        }
    }

    /// The name of the error in a message; nil when the message is no error. It is the first member of the library's
    /// structure.
    func errorName(of message: Message) -> String? {
        error(message)?.load(as: Text?.self).map { String(cString: $0) }
    }

    private struct Missing: Error {}
}
