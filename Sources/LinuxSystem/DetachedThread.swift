// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc

/// Starts a dedicated thread for a loop that must not share a pool: the loop may block, and a child process with a
/// parent-death signal is killed when the thread that started it ends.
package enum DetachedThread {
    /// Starts the thread, which receives no signals and ends when `body` returns.
    ///
    /// - Parameters:
    ///   - name: name of the thread in system tools; at most 15 bytes are kept.
    ///   - body: owns its captured values; the caller cannot use them any longer.
    /// - Returns: 0, or a negative errno.
    package static func start(_ name: String, _ body: sending @escaping () -> Void) -> Int32 {
        let argument = Unmanaged.passRetained(DetachedThreadBody(body)).toOpaque()
        let status = bgl_start_thread(name, runDetachedThread, argument)
        if status < 0 { Unmanaged<DetachedThreadBody>.fromOpaque(argument).release() }
        return status
    }
}

private final class DetachedThreadBody {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
}

private func runDetachedThread(_ argument: UnsafeMutableRawPointer?) {
    guard let argument else { return }
    Unmanaged<DetachedThreadBody>.fromOpaque(argument).takeRetainedValue().run()
}
