// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import Foundation

// Unchecked: a content of a push never changes, and a mutable one is changed on one thread at a time.
/// The content of a notification: the part of Apple's class that a server without user interface can show.
public class UNNotificationContent: NSObject, @unchecked Sendable {
    fileprivate var texts: Texts
    /// The JSON object of the push, with the key `aps`; empty for a new content.
    public let userInfo: [AnyHashable: Any]

    struct Texts {
        var title = ""
        var subtitle = ""
        var body = ""
    }

    fileprivate init(_ texts: Texts, _ userInfo: [AnyHashable: Any]) {
        (self.texts, self.userInfo) = (texts, userInfo)
        super.init()
    }

    /// The first line.
    public var title: String { texts.title }
    /// The second line; empty for none.
    public var subtitle: String { texts.subtitle }
    /// The text; empty for none.
    public var body: String { texts.body }

    /// A copy that can be changed, of the type ``UNMutableNotificationContent``.
    public override func mutableCopy() -> Any { UNMutableNotificationContent(texts, userInfo) }

    /// The content of the alert in a payload by Apple's rules.
    convenience init(payload: Data?) {
        let object = payload.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any] ?? [:]
        let aps = object["aps"] as? [String: Any] ?? [:]
        var texts = Texts()
        if let text = aps["alert"] as? String { texts.title = text }
        if let alert = aps["alert"] as? [String: Any] {
            texts.title = alert["title"] as? String ?? ""
            texts.subtitle = alert["subtitle"] as? String ?? ""
            texts.body = alert["body"] as? String ?? ""
        }
        self.init(texts, object)
    }
}

/// A content that can be changed. Change it on one thread at a time.
public final class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {
    fileprivate override init(_ texts: Texts, _ userInfo: [AnyHashable: Any]) { super.init(texts, userInfo) }

    /// Creates an empty content.
    public init() { super.init(Texts(), [:]) }

    /// The first line.
    public override var title: String {
        get { texts.title }
        set { texts.title = newValue }
    }
    /// The second line; empty for none.
    public override var subtitle: String {
        get { texts.subtitle }
        set { texts.subtitle = newValue }
    }
    /// The text; empty for none.
    public override var body: String {
        get { texts.body }
        set { texts.body = newValue }
    }
}
