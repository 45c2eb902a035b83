// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import PluginLaunch
import Scheduling
import Synchronization
import TaskModel
import Testing

@testable import HostService

@Suite("The mailbox delivers every input once, or drops it after its close")
struct MailboxTests {
    private static func isCommit(_ delivery: InputQueue.Delivery?, _ ticket: UInt64) -> Bool {
        if case .event(.committed(Ticket(rawValue: ticket))) = delivery?.input { true } else { false }
    }

    @Test
    func `a scheduler query that waits in a mailbox at its close, or comes later, is cancelled without being run`()
        async
    {
        let mailbox = Mailbox()
        let ends = Mutex(0)
        let reading = DecisionLoop.Input.reading(
            body: { _, _ in Issue.record("the core is read after the end") },
            close: { ends.withLock { $0 += 1 } }
        )
        mailbox.put(reading)
        #expect(ends.withLock { $0 } == 0)
        mailbox.close()
        #expect(ends.withLock { $0 } == 1)
        mailbox.put(reading)
        #expect(ends.withLock { $0 } == 2)
        #expect(mailbox.take() == nil)
    }

    @Test func `mailbox inputs of several threads are all taken, in the order of each thread`() {
        let mailbox = Mailbox()
        let (threads, inputs) = (4, 5_000)
        for thread in 0..<threads {
            Thread.detachNewThread {
                for index in 0..<inputs {
                    mailbox.put(.event(.committed(Ticket(rawValue: UInt64(thread * inputs + index)))))
                }
            }
        }
        var next = (0..<threads).map { UInt64($0 * inputs) }
        for _ in 0..<threads * inputs {
            guard case .event(.committed(let ticket)) = mailbox.take()?.input else { continue }
            let thread = Int(ticket.rawValue) / inputs
            #expect(ticket.rawValue == next[thread])
            next[thread] += 1
        }
        #expect(next == (1...threads).map { UInt64($0 * inputs) })
    }

    @Test func `closing a mailbox ends the wait of the thread that takes from it`() async {
        let mailbox = Mailbox()
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                mailbox.put(.timer)
                while mailbox.take() != nil {}
                continuation.resume()
            }
            mailbox.close()
        }
    }

    @Test func `closing a mailbox ends the pause of a launch whose queue in the mailbox is full`() {
        let mailbox = Mailbox()
        let launch = LaunchNumber(rawValue: 1)
        for _ in 0..<InputQueue.launchCapacity { mailbox.put(.launch(.killTimePassed(launch))) }
        #expect(!mailbox.admitOrPause(launch))
        mailbox.close()
        #expect(mailbox.admitOrPause(launch))
    }
}
