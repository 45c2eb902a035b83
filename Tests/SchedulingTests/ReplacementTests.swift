// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@testable import Scheduling

@Suite("An explanation counts the replacements of the pending request")
struct ReplacementTests {
    private let host = SchedulerDriver(.app(), .mail())

    @Test func `replacements are counted by submitter, since the first replaced request was submitted`() throws {
        let start = host.clock.now.wall
        host.submit(.clean, after: .hours(1))
        #expect(host.explain(.clean).replacements == nil)
        for _ in 1...11 {
            host.advance(by: .seconds(4))
            host.submit(.clean, after: .hours(1))
        }
        host.submit(.clean, after: .hours(1), by: .user)
        let replacements = try #require(host.explain(.clean).replacements)
        #expect(replacements.count == 12 && replacements.since == start)
        #expect(replacements.last == start + .seconds(44))
        #expect(replacements.bySubmitter == [.plugin(.app): 11, .user: 1])
        #expect(host.explain(.vacuum).replacements == nil)
    }

    @Test func `the count ends when the request is cancelled or runs`() {
        for _ in 1...3 { host.submit(.clean, after: .hours(1)) }
        host.cancel(.clean)
        host.submit(.clean, after: .hours(1))
        #expect(host.explain(.clean).replacements == nil)
        host.submit(.clean)
        #expect(host.running == [.clean])
        host.submit(.clean, after: .hours(1))
        #expect(host.explain(.clean).replacements == nil)
    }

    @Test func `a submission whose commit fails is not counted as a replacement`() {
        host.submit(.clean, after: .hours(1))
        host.commits = .failing
        host.submit(.clean, after: .hours(1))
        host.commits = .written
        #expect(host.explain(.clean).replacements == nil)
    }
}
