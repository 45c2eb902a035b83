// Part of bgtask, under the Apache License 2.0; see LICENSE.

import CLinux
import Glibc
import LinuxSystem
import RunnerWire

/// The listener of a runner's filter of system calls, from its arrival at the channel until the launch thread takes it
/// over. The runner sends it with its first bytes, before it loads the plugin, or names it in its first message.
struct RunnerListener {
    /// Whether the runner sends a listener, because it has a filter of system calls.
    var isExpected = false
    /// The listener, or the reason why it is lost; nil before it arrives and after it was taken.
    private var arrived: Result<Descriptor, SystemError>?
    /// The number of the listener in the runner, which could not send it; nil for none, and after it was taken.
    private var named: Int32?

    /// Accepts a descriptor that arrived with bytes of the runner. Closes every other descriptor than the expected one:
    /// the plugin sent it.
    ///
    /// - Parameters:
    ///   - attached: the descriptor, `BGL_NO_DESCRIPTOR` or `BGL_LOST_DESCRIPTOR`.
    ///   - isFirst: whether the bytes are the first ones of the runner.
    mutating func accept(_ attached: Int32, isFirst: Bool) {
        let descriptor = attached >= 0 ? Descriptor(owning: attached) : nil
        guard isExpected, isFirst, attached != Int32(BGL_NO_DESCRIPTOR) else { return }
        guard let descriptor else {
            // The kernel does not report the cause. It can also be a limit of the whole machine.
            arrived = .failure(SystemError(number: EMFILE, attempt: Self.attempt))
            return
        }
        let isListener = bgl_is_listener(descriptor.number) != 0
        arrived = isListener ? .success(descriptor) : .failure(SystemError(number: EBADF, attempt: Self.attempt))
    }

    private static let attempt = "receive the listener for refused system calls"
    /// The value of `attempt` in the error of `take` about a listener that cannot be copied from the runner.
    static let copying = "copy the listener for refused system calls from the runner (pidfd_getfd)"

    /// Accepts the first message of the runner, which can name a listener. Not called for later messages, because the
    /// plugin can write them.
    mutating func accept(_ first: RunnerMessage) {
        if isExpected, case .confined(let number?) = first { named = number }
    }

    /// Returns the listener once; nil when the runner sent none, or it was returned before. Throws once when the runner
    /// sent one that did not arrive.
    ///
    /// - Parameter runner: the process of the runner, which waits for its plan; nil once it is reaped.
    mutating func take(from runner: Descriptor?) throws(SystemError) -> Descriptor? {
        if let number = named, let runner {
            named = nil
            return try Self.copy(number, from: runner)
        }
        guard let arrived else { return nil }
        self.arrived = nil
        return try arrived.get()
    }

    /// Copies the listener; nil when the runner has ended.
    private static func copy(_ number: Int32, from runner: Descriptor) throws(SystemError) -> Descriptor? {
        let copy = bgl_pidfd_get(runner.number, number)
        if copy == -ESRCH { return nil }
        let descriptor = Descriptor(owning: try SystemError.check(copy, copying))
        guard bgl_is_listener(descriptor.number) != 0 else { throw SystemError(number: EBADF, attempt: copying) }
        return descriptor
    }
}
