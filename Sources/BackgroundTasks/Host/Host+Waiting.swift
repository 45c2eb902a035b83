// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import Synchronization

extension Host {
    /// Takes what waits for the host's disk off the threads that may not.
    static let waitingQueue = DispatchQueue(label: "BackgroundTasks", attributes: .concurrent)

    /// True inside an expiration handler on the host's own thread, where the host lets nothing wait for the disk.
    @TaskLocal static var isOnExpirationThread = false

    /// Makes a call that waits for the disk. Code for Apple's platforms submits its next request in expiration handlers
    /// too: from there another thread makes the call, and the handler waits for it.
    func waiting<Answer: Sendable>(_ call: @escaping @Sendable (Host) -> Answer) -> Answer {
        guard Self.isOnExpirationThread else { return call(self) }
        let answer = Box<Answer>()
        let done = DispatchSemaphore(value: 0)
        // A thread of its own: the plugin's work may have used up those of the queues.
        Thread.detachNewThread {
            answer.value.withLock { $0 = call(self) }
            done.signal()
        }
        done.wait()
        // It is there, for the semaphore was signalled after it.
        return answer.value.withLock { $0 } ?? call(self)
    }

    private final class Box<Answer: Sendable>: Sendable {
        let value = Mutex<Answer?>(nil)
    }
}
