// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import LinuxSystem
import TaskModel
import Testing

@testable import PluginLaunch

@Suite("A process is identified so that no other process is taken for it")
struct ProcessTests {
    @Test(arguments: ["cat", "a b", "a) R 1 2", "((()", ") 9 9 9", ""])
    func `parentheses, spaces and digits in a program's name do not shift the fields of its line in /proc`(name: String)
    {
        let rest = (4...52).map { $0 == 4 ? "77" : $0 == 22 ? "123456" : "\($0)" }.joined(separator: " ")
        let status = ProcessStatus(parsing: Array("4711 (\(name)) S \(rest)\n".utf8))
        #expect(status?.parent == 77)
        #expect(status?.startTime == 123_456)
    }

    @Test(arguments: ["", "4711", "4711 (cat", "4711 (cat) S 1 2 3"])
    func `a truncated line of a process in /proc is not parsed`(text: String) {
        #expect(ProcessStatus(parsing: Array(text.utf8)) == nil)
    }

    @Test func `the user of a process is read, but not that of a zombie`() {
        func status(_ state: String) -> String {
            "Name:\tUid:\\n7\nState:\t\(state)\nPid:\t4\nUid:\t600001\t600002\t600003\t600004\nGid:\t1\t1\t1\t1\n"
        }
        #expect(ProcessUser.real(inStatus: status("S (sleeping)")) == 600_001)
        #expect(ProcessUser.real(inStatus: status("Z (zombie)")) == nil)
        #expect(ProcessUser.real(inStatus: "Name:\tcat\n") == nil)
    }

    @Test func `a process identity with another start time does not match the process`() throws {
        let own = try #require(ProcessIdentity.current)
        #expect(own.open() != nil)
        #expect(ProcessIdentity(pid: own.pid, startTime: own.startTime + 1).open() == nil)
        #expect(ProcessIdentity(of: Int32.max) == nil)
    }

    @Test func `process marks of two series are distinct and name the host process that made them`() throws {
        let owner = try #require(MarkOwner.current)
        var (first, second) = (RunnerMarkSeries(owner: owner), RunnerMarkSeries(owner: owner))
        let marks = [first.next(), first.next(), second.next()]
        #expect(Set(marks.map(\.number)).count == 3 && Set(marks.map(\.text)).count == 3)
        #expect(first.isOurs(marks[1].number) && !first.isOurs(marks[2].number) && !first.isOurs(0))
        #expect(marks.allSatisfy { MarkOwner(markText: $0.text) == owner })
        #expect(!owner.isGone(to: owner))
    }

    @Test func `two readings of the clock have the same boot, and the monotonic time does not decrease`() {
        let clock = SystemClock()
        let (first, second) = (clock.now(), clock.now())
        #expect(first.monotonic <= second.monotonic && first.monotonic.nanoseconds > 0)
        #expect(first.wall.nanoseconds > 1_600_000_000_000_000_000)
        #expect(first.boot == second.boot && first.boot.text.count == 36)
    }
}

@Suite("A runner's environment is an allow-list")
struct RunnerEnvironmentTests {
    @Test func `a runner's environment has only the variables of the allow-list`() {
        let environment = RunnerEnvironment(from: [
            "PATH": "/bin", "HOME": "/root", "LC_ALL": "C", "LD_PRELOAD": "x.so", "SECRET": "s",
            "NOTIFY_SOCKET": "/run/n",
        ])
        #expect(environment.variables.map(\.name) == ["HOME", "LC_ALL", "PATH"])
        #expect(RunnerEnvironment(from: [:]).variables.map(\.name) == ["PATH"])
    }
}

@Suite("A rate limit allows a burst, then a rate")
struct PaceTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

    @Test func `a rate limit grants a burst at once and later grants with time`() {
        var bucket = TokenBucket(burst: 3, perSecond: 10, at: at(0))
        #expect((0..<5).map { _ in bucket.take(at: at(0)) } == [true, true, true, false, false])
        #expect((0..<5).map { _ in bucket.take(at: at(200)) } == [true, true, false, false, false])
        #expect((0..<5).map { _ in bucket.take(at: at(60_000)) } == [true, true, true, false, false])
    }

    @Test func `an overdrawn rate limit resumes when the debt and a quarter of the burst are refilled`() {
        var bucket = TokenBucket(burst: 100, perSecond: 100, at: at(0))
        bucket.spend(50, at: at(0))
        #expect(bucket.resumesAt == nil)
        bucket.spend(150, at: at(0))
        #expect(bucket.resumesAt == at(1250))
    }
}
