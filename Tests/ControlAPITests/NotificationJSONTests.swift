// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Foundation
import TaskModel
import Testing

@testable import ControlAPI

@Suite("The JSON of notifications is read by the rules of Apple's payloads")
struct NotificationJSONTests {
    private func content(_ text: String) -> NotificationContent? { NotificationJSON.content(Array(text.utf8)) }
    private func alert(_ text: String) -> NotificationJSON.Alert? {
        NotificationJSON.alert(inPayload: Array(text.utf8))
    }

    @Test func `an object with texts is the content of an extension, and other members are ignored`() {
        #expect(
            content(#"{"title": "A", "subtitle": "B", "body": "C", "badge": 3}"#)
                == NotificationContent(title: "A", subtitle: "B", body: "C")
        )
        #expect(content(#"{"body": "C", "title": null}"#) == NotificationContent(title: "", body: "C"))
    }

    @Test(arguments: ["", "[]", "{}", #"{"title": ""}"#, #"{"title": 3}"#, #"{"body": {}}"#, #"{"title": "A""#])
    func `another answer of an extension has no content`(text: String) {
        #expect(content(text) == nil)
    }

    @Test func `an answer of more than 4,096 bytes has no content`() {
        let title = String(repeating: "a", count: 4_096 - #"{"title":""}"#.utf8.count)
        #expect(content("{\"title\":\"\(title)\"}") != nil)
        #expect(content("{\"title\":\"\(title)a\"}") == nil)
    }

    @Test func `an alert is a text or an object, and mutable only with the number 1`() {
        #expect(alert(#"{"aps": {"alert": "A"}}"#)?.content == NotificationContent(title: "A"))
        let full = alert(#"{"aps": {"alert": {"title": "A", "body": "B"}, "mutable-content": 1}, "news": 2}"#)
        #expect(full?.content == NotificationContent(title: "A", body: "B") && full?.isMutable == true)
        #expect(alert(#"{"aps": {"alert": "A", "mutable-content": 0}}"#)?.isMutable == false)
        #expect(alert(#"{"aps": {"content-available": 1}}"#) == nil && alert("news") == nil)
    }

    @Test func `the payload of an alert has its content`() {
        let content = NotificationContent(title: "A \"quoted\" title", subtitle: nil, body: "B")
        for isMutable in [true, false] {
            let payload = NotificationJSON.payload(of: content, isMutable: isMutable)
            #expect(NotificationJSON.alert(inPayload: payload) == .init(content: content, isMutable: isMutable))
        }
    }

    @Test func `an alert push without effect of another field, or without a text, is refused with the field`() throws {
        func field(_ body: String) -> String? {
            do throws(RouteError) {
                _ = try PluginPush.reading(.init(body.utf8), for: .pluginPush).validated()
                return nil
            } catch {
                return error.reply.error.field
            }
        }
        #expect(field(#"{"body": "B"}"#) == "body" && field(#"{"mutable": true}"#) == "mutable")
        #expect(field(#"{"alert": "A", "priority": "low"}"#) == "priority")
        #expect(field(#"{"alert": "A", "expires_at": "2036-01-31T02:00:00Z"}"#) == "expires_at")
        #expect(field(#"{"alert": ""}"#) == "alert" && field(#"{"alert": "A", "topic": ""}"#) == "topic")
        let long = String(repeating: "a", count: 4_096)
        #expect(field("{\"alert\": \"A\", \"body\": \"\(long)\"}") == "alert")
    }
}
