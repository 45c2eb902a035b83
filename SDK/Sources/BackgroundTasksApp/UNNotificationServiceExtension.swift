// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks
public import Foundation
import Synchronization

/// An alert push that a notification service extension receives.
public final class UNNotificationRequest: NSObject, Sendable {
    /// The number of the push.
    public let identifier: String
    /// The original content.
    public let content: UNNotificationContent

    init(identifier: String, content: UNNotificationContent) {
        (self.identifier, self.content) = (identifier, content)
        super.init()
    }
}

/// A notification service extension, which changes the notifications of alert pushes before they are shown.
///
/// The manifest of the plugin has `role: extension` and `extension-point: notification-service`. Its entry sets the
/// subclass:
///
///     BackgroundPlugin.enter(host, hooks) { UNNotificationServiceExtension.serve { Translator() } }
///
/// The host shows the original if the handler is not called in time, or if the process ends.
// Unchecked: subclasses protect their own state, as on Apple's platforms.
open class UNNotificationServiceExtension: NSObject, @unchecked Sendable {
    /// Creates an extension. One object is created for each notification.
    public override init() { super.init() }

    /// Changes a notification. The default implementation shows the original.
    ///
    /// - Parameters:
    ///   - request: the push with its original content.
    ///   - contentHandler: shows a content. Call it once, from any thread, within 30 seconds.
    open func didReceive(
        _ request: UNNotificationRequest,
        withContentHandler contentHandler: @escaping @Sendable (UNNotificationContent) -> Void
    ) {
        contentHandler(request.content)
    }

    /// Called shortly before the time is over, on a thread of its own. Call the handler of the notification with the
    /// best content so far.
    open func serviceExtensionTimeWillExpire() {}

    /// Sets the extension that receives the alert pushes. Call it while the plugin enters.
    ///
    /// - Parameter make: creates the object for one notification.
    public static func serve(_ make: @escaping @Sendable () -> UNNotificationServiceExtension) {
        BackgroundPlugin.receiveEvents { event in
            guard event.kind == .notification else {
                return event.complete(event.kind == .started ? .success : .noData)
            }
            make().receive(event)
        }
    }

    private func receive(_ event: BackgroundEvent) {
        let content = UNNotificationContent(payload: event.payload)
        let request = UNNotificationRequest(identifier: "\(event.submissionNumber)", content: content)
        let answer = Answer(event)
        event.expirationHandler = { self.serviceExtensionTimeWillExpire() }
        didReceive(request) { answer.give($0) }
    }

    /// The one answer to an event.
    private final class Answer: Sendable {
        private let isAnswered = Mutex(false)
        private let event: BackgroundEvent

        init(_ event: BackgroundEvent) { self.event = event }

        func give(_ content: UNNotificationContent) {
            let isFirst = isAnswered.withLock { isAnswered in
                defer { isAnswered = true }
                return !isAnswered
            }
            guard isFirst else { return }
            do {
                try event.setNotificationContent(
                    title: content.title,
                    subtitle: content.subtitle.isEmpty ? nil : content.subtitle,
                    body: content.body.isEmpty ? nil : content.body
                )
                event.complete(.success)
            } catch {
                event.complete(.failure, message: "\(error)")
            }
        }
    }
}
