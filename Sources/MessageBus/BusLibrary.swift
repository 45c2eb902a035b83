// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc

/// The functions of systemd's client library for D-Bus that this module calls.
///
/// The library is loaded at run time, when the first `BusConnection` is created: the host also runs on machines without
/// systemd. Functions and types are part of the library's stable interface.
package struct BusLibrary: Sendable {
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
    let timeout: @convention(c) (Bus, UnsafeMutablePointer<UInt64>) -> Int32
    let process: @convention(c) (Bus, Out?) -> Int32
    let close: @convention(c) (Bus) -> Void
    let release: @convention(c) (Bus) -> OpaquePointer?
    let addMatch: @convention(c) (Bus, Out?, Text, Handler, Handler?, UnsafeMutableRawPointer?) -> Int32
    let newCall: @convention(c) (Bus, Out, Text, Text, Text, Text) -> Int32
    let setStartsService: @convention(c) (Message, Int32) -> Int32
    let append: @convention(c) (Message, CChar, UnsafeRawPointer) -> Int32
    let call: @convention(c) (Bus, Out?, Message, Handler, UnsafeMutableRawPointer?, UInt64) -> Int32
    let openContainer: @convention(c) (Message, CChar, Text) -> Int32
    let closeContainer: @convention(c) (Message) -> Int32
    /// Sends a call and waits for its reply.
    let callAndWait: @convention(c) (Bus, Message, UInt64, UnsafeMutableRawPointer?, Out?) -> Int32
    let error: @convention(c) (Message) -> UnsafeRawPointer?
    let peek: @convention(c) (Message, UnsafeMutablePointer<CChar>, UnsafeMutablePointer<Text?>?) -> Int32
    let enter: @convention(c) (Message, CChar, Text?) -> Int32
    let read: @convention(c) (Message, CChar, UnsafeMutableRawPointer) -> Int32
    let releaseMessage: @convention(c) (Message) -> OpaquePointer?

    package static let name = "libsystemd.so.0"
    /// The loaded library; nil when the library or one of the functions is missing. It is never unloaded.
    package static let loaded = BusLibrary(named: name)

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
            timeout = try function("get_timeout")
            process = try function("process")
            close = try function("close")
            release = try function("unref")
            addMatch = try function("add_match_async")
            newCall = try function("message_new_method_call")
            setStartsService = try function("message_set_auto_start")
            append = try function("message_append_basic")
            call = try function("call_async")
            openContainer = try function("message_open_container")
            closeContainer = try function("message_close_container")
            callAndWait = try function("call")
            error = try function("message_get_error")
            peek = try function("message_peek_type")
            enter = try function("message_enter_container")
            read = try function("message_read_basic")
            releaseMessage = try function("message_unref")
        } catch {
            return nil
        }
    }

    private struct Missing: Error {}
}
