// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import ControlClient
import Foundation
import HostTestKit
import StatementTraits
import TaskModel
import Testing

@Suite(
    "A notification service extension changes alerts, and the original is shown after any other end",
    .proves(86, "C23")
)
struct NotificationExtensionTests {
    private struct Pair {
        var main = TestPlugin("Recorder")
        var child: TestPlugin

        init() {
            child = .extension("Notifies", of: &main, policy: ["budgets: { event: 700ms }", "grace-period: 300ms"])
            child.manifestLines = ["extension-point: notification-service"]
        }
    }

    private let pair = Pair()

    private func alert(_ host: HostFixture, _ word: String, topic: String? = nil, isMutable: Bool = true) async throws
        -> PluginPushReply
    {
        let content = NotificationContent(title: "Original", body: "do-\(word)")
        let topic = topic.flatMap(NotificationTopic.init)
        let plugin = try #require(PluginIdentifier(pair.main.identifier))
        return try await host.client.push(to: plugin, PluginPush(alert: content, topic: topic, isMutable: isMutable))
    }

    /// The notifications of alert pushes, once there are `count` of them.
    private func shown(_ host: HostFixture, _ count: Int) async throws -> [NotificationLine] {
        let lines = try await withDeadline(waitingFor: "\(count) notifications") {
            var lines: [NotificationLine] = []
            for try await line in try await host.client.followNotifications(after: 0) where line.alarm == nil {
                lines.append(line)
                if lines.count == count { break }
            }
            return lines
        }
        #expect(try await host.client.notificationPage().notifications.count { $0.alarm == nil } == count)
        return lines
    }

    @Test func `a changed text is shown, and any other end of the extension shows the original`() async throws {
        try await HostFixture.with(plugins: [pair.main, pair.child]) { host in
            try await host.started(pair.main)
            let words = ["change", "much", "nothing", "wrong", "fail", "crash", "sleep"]
            for word in words { #expect(try await alert(host, word).state == .stored) }
            let lines = try await shown(host, words.count)
            #expect(lines.map(\.title) == ["Changed"] + Array(repeating: "Original", count: words.count - 1))
            #expect(lines.map(\.isChanged) == [true] + Array(repeating: false, count: words.count - 1))
            #expect(lines.first?.body == "by the extension" && lines.last?.body == "do-sleep")
            #expect(lines.map(\.number) == lines.map(\.number).sorted())
            let answers = host.containerText(pair.main, "answers.txt").split(separator: "\n")
            #expect(
                answers.filter { $0 != "BGT_WRONG_KIND" } == [
                    "BGT_OK", "BGT_INVALID", "BGT_OK", "BGT_OK", "BGT_OK", "BGT_OK",
                ]
            )
        }
    }

    @Test func `an alert without an extension, or that is not mutable, is shown before its answer`() async throws {
        try await HostFixture.with(plugins: [pair.main, pair.child]) { host in
            #expect(try await alert(host, "change", isMutable: false).state == .shown)
            let run = try await host.bgtask(
                "push",
                "send",
                pair.main.identifier,
                "--alert",
                "Printed",
                "--body",
                "text"
            )
            #expect(run.output.contains(" is shown"))
            #expect(try await shown(host, 2).map(\.title) == ["Original", "Printed"])
            #expect(try await host.bgtask("notification", "list").output.contains("Printed"))
        }
    }

    @Test func `an alert whose extension runs when the host is killed is shown with its original, once`() async throws {
        var child = pair.child
        // The extension sleeps until the host is killed.
        child.policy = []
        try await HostFixture.with(plugins: [pair.main, child]) { [child] host in
            try await host.started(pair.main)
            _ = try await alert(host, "sleep", topic: "t")
            _ = try await alert(host, "later", topic: "t", isMutable: false)
            _ = try await host.waitForLog("the launch of the extension") {
                $0.contains("launched") && $0.contains("plugin=\(child.identifier) ")
            }
            host.kill9()
            try await host.restart()
            #expect(try await shown(host, 2).map(\.body) == ["do-sleep", "do-later"])
        }
    }

    @Test func `a follower of the feed continues without a gap after a restart of the host`() async throws {
        try await HostFixture.with(plugins: [pair.main, pair.child]) { host in
            for number in 1...3 { _ = try await alert(host, "\(number)", isMutable: false) }
            let first = try await host.client.notificationPage(NotificationQuery(after: 0, limit: 2))
            #expect(first.notifications.map(\.body) == ["do-1", "do-2"] && first.oldest == 1)
            host.kill9()
            try await host.restart()
            _ = try await alert(host, "4", isMutable: false)
            let rest = try await host.client.notificationPage(NotificationQuery(after: first.last, limit: 10))
            #expect(rest.notifications.map(\.body) == ["do-3", "do-4"])
        }
    }
}
