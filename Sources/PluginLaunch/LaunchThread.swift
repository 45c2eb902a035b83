// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc

/// A thread of its own, for work that may block and whose children die with it. Not of any pool.
enum LaunchThread {
    /// 0, or a negative errno.
    static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
        let argument = Unmanaged.passRetained(LaunchThreadBody(body)).toOpaque()
        let status = bgl_start_thread("launches", runLaunchThread, argument)
        if status < 0 { Unmanaged<LaunchThreadBody>.fromOpaque(argument).release() }
        return status
    }
}

private final class LaunchThreadBody: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func runLaunchThread(_ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<LaunchThreadBody>.fromOpaque(argument).takeRetainedValue().run()
}
