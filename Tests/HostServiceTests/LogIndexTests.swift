// Part of bgtask, under the Apache License 2.0; see LICENSE.

import HostConfiguration
import TaskModel
import Testing

@testable import HostService

@Suite("The index of logs names the logs to delete")
struct LogIndexTests {
    private let feed: PluginIdentifier
    private let mail: PluginIdentifier

    init() throws {
        feed = try #require(PluginIdentifier("com.example.feed"))
        mail = try #require(PluginIdentifier("com.example.mail"))
    }

    private func log(_ launch: Int64, _ plugin: PluginIdentifier, _ bytes: Int64, at second: Int64 = 0) -> LogIndex.Log
    {
        LogIndex.Log(
            plugin: plugin,
            launch: LaunchNumber(rawValue: launch),
            current: bytes,
            last: WallTime(nanoseconds: second * 1_000_000_000)
        )
    }

    private func limits(plugin: Int64, total: Int64) -> LogLimits {
        var limits = LogLimits()
        (limits.plugin, limits.total) = (plugin, total)
        return limits
    }

    @Test func `the size of a log is counted in whole blocks, and subtracted when the log is replaced or removed`() {
        var index = LogIndex()
        index.set(log(1, feed, 1))
        index.set(log(2, feed, 4_097))
        #expect(index.size == 4_096 + 8_192)
        index.set(log(2, feed, 10))
        #expect(index.size == 8_192)
        index.remove(LaunchNumber(rawValue: 1))
        #expect(index.size == 4_096 && index.launches(of: feed).map(\.rawValue) == [2])
    }

    @Test func `the oldest logs of a plugin beyond its limit are removed, and those of other plugins stay`() {
        var index = LogIndex()
        index.set(log(1, mail, 4_096))
        for launch in 2...6 { index.set(log(Int64(launch), feed, 4_096)) }
        let excess = index.removeExcess(
            of: feed,
            keeping: LaunchNumber(rawValue: 6),
            limits(plugin: 2 * 4_096, total: 1 << 20)
        )
        #expect(excess.map(\.launch.rawValue) == [2, 3, 4])
        #expect(index.logs.keys.map(\.rawValue).sorted() == [1, 5, 6])
    }

    @Test func `the oldest logs of all plugins are removed beyond the total limit, and never the log just written`() {
        var index = LogIndex()
        index.set(log(1, mail, 4_096))
        index.set(log(2, feed, 4_096))
        index.set(log(3, mail, 4_096))
        let tight = limits(plugin: 1 << 20, total: 4_096)
        let excess = index.removeExcess(of: mail, keeping: LaunchNumber(rawValue: 1), tight)
        #expect(excess.map(\.launch.rawValue) == [2, 3])
        #expect(index.removeExcess(of: mail, keeping: LaunchNumber(rawValue: 1), tight).isEmpty)
        #expect(index.size == 4_096)
    }

    @Test func `the launches whose last line is older than a time are found`() {
        var index = LogIndex()
        index.set(log(1, feed, 10, at: 5))
        index.set(log(2, feed, 10, at: 7))
        #expect(index.launches(before: WallTime(nanoseconds: 6_000_000_000)).map(\.rawValue) == [1])
    }

    @Test func `the index stays correct after thousands of logs were removed out of order`() {
        var index = LogIndex()
        for launch in 1...5_000 { index.set(log(Int64(launch), feed, 4_096)) }
        for launch in 2...4_999 { index.remove(LaunchNumber(rawValue: Int64(launch))) }
        let excess = index.removeExcess(
            of: feed,
            keeping: LaunchNumber(rawValue: 5_000),
            limits(plugin: 1 << 30, total: 4_096)
        )
        #expect(excess.map(\.launch.rawValue) == [1] && index.size == 4_096)
    }
}
