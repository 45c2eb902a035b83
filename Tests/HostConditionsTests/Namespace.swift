// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Glibc
import LinuxSystem
import Synchronization

@testable import HostConditions

/// A network namespace for one thread, with only a loopback interface that is down.
enum Namespace {
    static let isAllowed: Bool = {
        guard Machine.isRoot, Machine.has("ip") else { return false }
        let works = try? run {
            Machine.run("ip", "link", "add", "probe", "type", "veth", "peer", "name", "probe2")
        }
        return works ?? false
    }()

    /// Runs the body on a thread of its own in a new network namespace. The namespace ends with the thread.
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) throws -> Value {
        let result = Mutex<Value?>(nil)
        let done = DispatchSemaphore(value: 0)
        let thread = Thread {
            if leaveNetwork() == 0 {
                let value = body()
                result.withLock { $0 = value }
            }
            done.signal()
        }
        thread.start()
        done.wait()
        guard let value = result.withLock(\.self) else {
            throw SystemError(number: EPERM, attempt: "make a network namespace")
        }
        return value
    }

    /// `unshare(CLONE_NEWNET)`, which Swift does not import from the C library.
    private static func leaveNetwork() -> Int32 {
        typealias Unshare = @convention(c) (Int32) -> Int32
        guard let address = dlsym(nil, "unshare") else { return -1 }
        return unsafeBitCast(address, to: Unshare.self)(0x4000_0000)
    }
}
