// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux

/// A thread of its own, for waiting in the kernel. Not of any pool.
enum ConditionsThread {
    static func start(_ body: sending @escaping () -> Void) throws(SystemError) {
        let argument = Unmanaged.passRetained(ConditionsThreadBody(body)).toOpaque()
        let status = bgl_start_thread("conditions", runConditionsThread, argument)
        if status < 0 { Unmanaged<ConditionsThreadBody>.fromOpaque(argument).release() }
        try SystemError.check(status, "start the conditions' thread")
    }
}

private final class ConditionsThreadBody {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}

private func runConditionsThread(_ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<ConditionsThreadBody>.fromOpaque(argument).takeRetainedValue().run()
}
