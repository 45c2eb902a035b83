// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
import BackgroundTasksApp
import BackgroundTasksTesting
import StatementTraits
import Testing

/// An extension whose answer depends on the body of the notification.
private final class Translator: UNNotificationServiceExtension, @unchecked Sendable {
    /// The handler of a notification that is answered at its expiration.
    private var late: (@Sendable (UNNotificationContent) -> Void)?
    /// Gets an element when `late` is set.
    private let isLate: AsyncStream<Void>.Continuation?

    init(_ isLate: AsyncStream<Void>.Continuation?) {
        self.isLate = isLate
        super.init()
    }

    override func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping @Sendable (UNNotificationContent) -> Void
    ) {
        guard let content = request.content.mutableCopy() as? UNMutableNotificationContent else { return }
        content.title += ", translated"
        switch request.content.body {
        case "late":
            late = contentHandler
            isLate?.yield()
        case "twice":
            contentHandler(content)
            contentHandler(request.content)
        case "much":
            content.body = String(repeating: "a", count: 5_000)
            contentHandler(content)
        default: contentHandler(content)
        }
    }

    override func serviceExtensionTimeWillExpire() {
        let content = UNMutableNotificationContent()
        content.title = "In time"
        late?(content)
    }
}

// Nested, because a process has one host at a time.
extension RefreshTests {
    @Suite("A notification service extension answers each alert once", .proves(86, "C23"), .timeLimit(.minutes(1)))
    struct NotificationServiceTests {
        @MainActor
        private func enteredHost(_ isLate: AsyncStream<Void>.Continuation? = nil) throws -> TestHost {
            let host = TestHost(plugin: "com.example.colorfeed.notify", permitted: [])
            try host.enter { UNNotificationServiceExtension.serve { Translator(isLate) } }
            return host
        }

        private func payload(_ body: String) -> Data {
            Data(
                #"{"aps": {"alert": {"title": "Photos", "subtitle": "Ann", "body": "\#(body)"}, "mutable-content": 1}}"#
                    .utf8
            )
        }

        private func content(_ host: TestHost) throws -> [String: String]? {
            try host.notificationContent.map { try JSONDecoder().decode([String: String].self, from: $0) }
        }

        @Test @MainActor func `the content of the handler replaces the original, and only its first call counts`() async throws {
            let host = try enteredHost()
            for body in ["3 albums", "twice"] {
                let delivery = try #require(host.deliverAlert(payload(body)))
                #expect(await host.outcome(of: delivery) == .success)
                #expect(try content(host) == ["title": "Photos, translated", "subtitle": "Ann", "body": body])
            }
            #expect(await host.end() == [])
        }

        @Test @MainActor func `a content of more than 4 KiB completes the alert as failed`() async throws {
            let host = try enteredHost()
            let delivery = try #require(host.deliverAlert(payload("much")))
            #expect(await host.outcome(of: delivery) == .failure)
            #expect(host.notificationContent == nil)
            #expect(await host.end() == [])
        }

        @Test @MainActor func `an extension that did not answer in time can answer when its time expires`() async throws {
            let (late, continuation) = AsyncStream.makeStream(of: Void.self)
            let host = try enteredHost(continuation)
            let delivery = try #require(host.deliverAlert(payload("late")))
            for await _ in late { break }
            host.expire(delivery, because: .budget)
            #expect(await host.outcome(of: delivery) == .success)
            #expect(try content(host) == ["title": "In time"])
            #expect(await host.end() == [])
        }
    }
}
