// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import BackgroundTasksTesting
import Foundation
import Synchronization
import Testing

// Inside of the serialized suite of the other hosts: no other test has a host meanwhile.
extension RefreshTests {
    @Suite("A loop over remaining items moves the cursor behind finished work only")
    struct ResumingTests {
        private static let task = "com.example.loop.task"

        /// The items whose work has begun and ended, in their order, and the errors of the loops.
        private final class Course: Sendable {
            private let state = Mutex((begun: [Int](), done: [Int](), errors: [String]()))

            var begun: [Int] { state.withLock { $0.begun } }
            var done: [Int] { state.withLock { $0.done } }
            var errors: [String] { state.withLock { $0.errors } }

            func begin(_ item: Int) { state.withLock { $0.begun.append(item) } }
            func finish(_ item: Int) { state.withLock { $0.done.append(item) } }
            func note(_ error: any Error) { state.withLock { $0.errors.append("\(error)") } }
        }

        private struct Failure: Error {}

        /// Runs a test with a host whose task has an async handler. Expects a launch without defects.
        private func with(
            _ handler: @escaping @Sendable (BGTask, TestHost, Course) async throws -> Void,
            _ body: (TestHost, Course) async throws -> Void
        ) async throws {
            let course = Course()
            let host = TestHost(plugin: "com.example.loop", permitted: [Self.task])
            try await host.enter {
                BGTaskScheduler.shared.handle(taskWithIdentifier: Self.task) { [weak host] task in
                    guard let host else { return }
                    do {
                        try await handler(task, host, course)
                    } catch {
                        course.note(error)
                        throw error
                    }
                }
            }
            try await body(host, course)
            #expect(await host.end() == [])
        }

        /// Does the items of a loop. Before item `stop` the closure is called inside of the item's work.
        private static func work<Items: AsyncSequence>(
            _ items: Items,
            _ course: Course,
            at stop: Int = -1,
            _ interrupt: () throws -> Void = {}
        ) async throws where Items.Element == Int {
            for try await item in items {
                course.begin(item)
                if item == stop { try interrupt() }
                course.finish(item)
            }
        }

        private func run(_ host: TestHost) async -> BGTask.Outcome? { await host.run(Self.task, .processing) }

        private func cursor(_ host: TestHost) -> String? {
            host.cursor(of: Self.task).map { String(decoding: $0, as: UTF8.self) }
        }

        @Test
        func `a run that throws inside an item leaves the cursor at the item before, and the next run repeats it`()
            async throws
        {
            try await with { task, _, course in
                let stop = course.errors.isEmpty ? 4 : -1
                try await Self.work(task.resuming(0..<6), course, at: stop) { throw Failure() }
            } _: { host, course in
                #expect(await run(host) == .failure)
                #expect(cursor(host) == "3" && course.begun == [0, 1, 2, 3, 4])
                #expect(await run(host) == .success)
                #expect(course.done == [0, 1, 2, 3, 4, 5] && course.begun == [0, 1, 2, 3, 4, 4, 5])
                #expect(cursor(host) == nil)
            }
        }

        @Test func `a loop that is left by break does not finish its last item`() async throws {
            try await with { task, _, _ in
                for try await item in task.resuming(0..<6) where item == 2 { break }
                task.complete(.failure)
            } _: { host, _ in
                #expect(await run(host) == .failure)
                #expect(cursor(host) == "1")
            }
        }

        @Test func `an expiration inside an item ends the loop after the item, which is not repeated`() async throws {
            try await with { task, host, course in
                let stop = course.done.isEmpty ? 2 : -1
                try await Self.work(task.resuming(0..<5, durable: true), course, at: stop) {
                    host.expire(because: .budget)
                }
            } _: { host, course in
                #expect(await run(host) == .failure)
                #expect(course.done == [0, 1, 2] && course.errors == ["CancellationError()"] && cursor(host) == "2")
                #expect(await run(host) == .success)
                #expect(course.done == [0, 1, 2, 3, 4])
            }
        }

        @Test func `a task that is completed inside an item ends its loop and keeps the cursor before the item`()
            async throws
        {
            try await with { task, _, course in
                try await Self.work(task.resuming(0..<5), course, at: 2) { task.complete(.failure) }
            } _: { host, course in
                #expect(await run(host) == .failure)
                #expect(course.begun == [0, 1, 2] && cursor(host) == "1")
            }
        }

        @Test func `a second loop of a run is refused, also one over a copy of the items`() async throws {
            try await with { task, _, course in
                let items = task.resuming(0..<5)
                let copy = items
                var first = items.makeAsyncIterator()
                _ = try await first.next()
                try await Self.work(copy, course)
            } _: { host, course in
                #expect(await run(host) == .failure)
                #expect(course.begun == [] && course.errors.first?.contains("one loop for each run") == true)
                #expect(cursor(host) == nil)
            }
        }

        @Test(arguments: [[1, 3, 2], [1, 1, 2]])
        func `an item that is not in ascending order fails before its work`(_ items: [Int]) async throws {
            try await with { task, _, course in
                try await Self.work(task.resuming(items), course)
            } _: { host, course in
                #expect(await run(host) == .failure)
                #expect(course.errors.first?.contains("not in ascending order") == true)
                #expect(course.done == Array(items.prefix(course.done.count)))
                #expect(cursor(host) == "\(course.done.last ?? -1)")
            }
        }

        @Test func `an item whose cursor is too long fails before its work`() async throws {
            try await with { task, _, course in
                let items = task.resuming([1, 2, 3], by: { String(repeating: "\($0)", count: $0 == 3 ? 4095 : 4094) })
                try await Self.work(items, course)
            } _: { host, course in
                #expect(await run(host) == .failure)
                #expect(course.begun == [1, 2])
                #expect(course.errors.first?.contains("has 4097 bytes as JSON") == true)
                #expect(host.cursor(of: Self.task)?.count == 4096)
            }
        }

        @Test func `fetched items continue behind the cursor, and a fetch that repeats a finished item fails`()
            async throws
        {
            try await with { task, _, course in
                let repeats = task.payload != nil
                let items = task.resuming(
                    after: { (last: Int?) in
                        let first = (last ?? -1) + (repeats && last != nil ? 0 : 1)
                        return Array(first..<min(first + 2, 7))
                    },
                    by: { $0 }
                )
                try await Self.work(items, course)
            } _: { host, course in
                try host.setCursor(2, of: Self.task)
                #expect(await run(host) == .success && course.done == [3, 4, 5, 6])
                #expect(await host.run(Self.task, .processing, payload: Data([1])) == .failure)
                #expect(course.begun == [3, 4, 5, 6, 0, 1] && course.errors.first?.contains("finished item 1") == true)
                #expect(cursor(host) == "1")
            }
        }

        @Test func `a cursor of another version, of another request or of another type is deleted`() async throws {
            try await with { task, _, course in
                let items = task.resuming(0..<4) { _, origin in
                    origin.version == "2.0" || origin.submissionNumber == task.submissionNumber
                }
                try await Self.work(items, course)
            } _: { host, course in
                try host.setCursor(1, of: Self.task, version: "2.0")
                #expect(await run(host) == .success && course.done == [2, 3])
                try host.setCursor(1, of: Self.task, version: "1.0")
                #expect(await run(host) == .success && course.done == [2, 3, 0, 1, 2, 3])
                #expect(host.log.contains { $0.contains("it refuses the cursor of version 1.0") })
                try host.setCursor("row", of: Self.task, version: "2.0")
                #expect(await run(host) == .success && course.done.count == 10)
            }
        }

        @Test func `a durable loop goes on after a failed commit and succeeds`() async throws {
            try await with { task, host, course in
                try await Self.work(task.resuming(0..<4, durable: true), course, at: 1) {
                    host.refuseNext(.unavailable, message: "the disk is full")
                }
            } _: { host, course in
                #expect(await run(host) == .success && course.done == [0, 1, 2, 3])
            }
        }

        @Test func `a loop on a host without cursors begins with the first item and completes`() async throws {
            try await with { task, _, course in
                try await Self.work(task.resuming(0..<3), course)
            } _: { host, course in
                try host.setCursor(1, of: Self.task)
                host.withholdCursors()
                #expect(await run(host) == .success && course.done == [0, 1, 2])
            }
        }

        @Test func `an event has no items that remain`() async throws {
            let course = Course()
            let host = TestHost(plugin: "com.example.loop", permitted: [Self.task])
            try await host.enter {
                BackgroundPlugin.handleEvents { event in
                    do { try await Self.work(event.resuming(0..<3), course) } catch {
                        course.note(error)
                        throw error
                    }
                }
            }
            #expect(await host.send(.started) == .failure)
            #expect(course.errors.first?.contains("an event has no cursor") == true)
            #expect(await host.end() == [])
        }
    }
}
