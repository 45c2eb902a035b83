// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

extension Host {
    /// The concurrent queue that makes calls of the host which block until a commit.
    static let waitingQueue = DispatchQueue(label: "BackgroundTasks", attributes: .concurrent)

    /// Whether the current code runs in an expiration handler on the host's own thread. On this thread the host refuses
    /// calls that wait for a commit.
    @TaskLocal static var isOnExpirationThread = false

    /// Makes a call of the host that blocks until a commit. In an expiration handler, another thread makes the call and
    /// the handler waits for its result. The host would refuse the call on the expiration thread, but code for Apple's
    /// platforms submits the next request in its expiration handler, too.
    func waiting<Answer: Sendable>(_ call: @escaping @Sendable (Host) -> Answer) -> Answer {
        guard Self.isOnExpirationThread else { return call(self) }
        let answer = Box<Answer>()
        let done = DispatchSemaphore(value: 0)
        // A thread of its own, because the plugin's work may have used up the threads of the queues.
        Thread.detachNewThread {
            answer.value.withLock { $0 = call(self) }
            done.signal()
        }
        done.wait()
        // The value is set: the semaphore was signalled after it.
        return answer.value.withLock { $0 } ?? call(self)
    }

    private final class Box<Answer: Sendable>: Sendable {
        let value = Mutex<Answer?>(nil)
    }
}
