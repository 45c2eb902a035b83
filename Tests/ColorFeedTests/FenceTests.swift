// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import BackgroundTasksTesting
import Testing

// Inside of the serialized suite of the other hosts: no other test has a host meanwhile.
extension RefreshTests {
    @Suite("A task from the queue of a fleet has an item and a fence")
    struct FenceTests {
        private static let task = "com.example.fenced.task"

        @Test func `a task object has the item and the fence of its claim, and without a claim neither`() async throws {
            let host = TestHost(plugin: "com.example.fenced", permitted: [Self.task])
            try await host.enter {
                BGTaskScheduler.shared.handle(taskWithIdentifier: Self.task) { task in
                    let numbers = [task.fleetItem, task.fence].map { $0.map(String.init) ?? "nil" }
                    task.complete(.success, message: numbers.joined(separator: " "))
                }
            }
            for (item, fence, message) in [(71, 3, "71 3"), (Int64.max, Int64.max, "\(Int64.max) \(Int64.max)")] {
                let delivery = try #require(host.deliver(Self.task, .processing, fleetItem: item, fence: fence))
                #expect(await host.outcome(of: delivery) == .success)
                #expect(host.message(of: delivery) == message)
            }
            let delivery = try #require(host.deliver(Self.task, .processing))
            #expect(await host.outcome(of: delivery) == .success)
            #expect(host.message(of: delivery) == "nil nil")
            #expect(await host.end() == [])
        }
    }
}
