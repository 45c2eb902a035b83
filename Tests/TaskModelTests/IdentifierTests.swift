// Part of bgtask, under the Apache License 2.0; see LICENSE.

import StatementTraits
import TaskModel
import Testing

@Suite("An identifier is a dotted name, case-sensitive, and at most 255 bytes long; a task's may have one label")
struct IdentifierTests {
    @Test(arguments: ["a.b", "com.example.app", "com.example.app-2.db_cleaning", "COM.Example.App", "1.2"])
    func `a valid reverse-DNS name is accepted unchanged as task and plugin identifier`(_ text: String) {
        #expect(TaskIdentifier(text)?.text == text)
        #expect(PluginIdentifier(text)?.text == text)
    }

    @Test(arguments: [
        ("", "is empty"), (".example", "empty part"), ("com..example", "empty part"),
        ("com.example.", "empty part"), ("com.exa mple", "a character other than"), ("com.ex\u{e4}mple", "a character"),
        ("com.example/app", "a character other than"), ("com.example.*", "a character other than"),
        ("com.example\0.app", "a character other than"),
    ])
    func `an invalid identifier is refused with the violated rule`(_ text: String, _ rule: String) throws {
        #expect(TaskIdentifier(text) == nil && PluginIdentifier(text) == nil)
        #expect(try #require(ReverseDNSName.flaw(in: text)).problem.contains(rule))
        #expect(try #require(TaskIdentifier.flaw(in: text)).problem.contains(rule))
    }

    @Test(.proves(9), arguments: ["refresh", "a", "1", "data-sync_2", "Started"])
    func `a task identifier may have one label; a plugin identifier has two or more`(_ text: String) throws {
        let identifier = try #require(TaskIdentifier(text))
        #expect(identifier.text == text && identifier.hasOneLabel)
        #expect(PluginIdentifier(text) == nil && PermittedIdentifier("\(text).*") == nil)
        #expect(try #require(ReverseDNSName.flaw(in: text)).problem == "has no dot")
    }

    @Test func `the identifier of a push names its plugin, and no manifest can permit it`() throws {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let push = TaskIdentifier.push(to: plugin)
        #expect(push.text == "com.example.feed:push" && push.pushedPlugin == plugin)
        #expect(TaskIdentifier("com.example.feed:push") == push)
        #expect(PermittedIdentifier(push.text) == nil && PermittedIdentifier("com.example.feed:push.*") == nil)
        #expect(TaskIdentifier.flaw(in: push.text) != nil)
        #expect(TaskIdentifier("feed:push") == nil && TaskIdentifier("com.example.feed:pull") == nil)
        #expect(PermittedIdentifier("com.example.*")?.covers(push) == false)
        #expect(TaskIdentifier("com.example.feed")?.pushedPlugin == nil)
    }

    @Test func `the identifier of a transfer names its plugin and its number, and no manifest can permit it`() throws {
        let plugin = try #require(PluginIdentifier("com.example.feed"))
        let transfer = TaskIdentifier.transfer(SubmissionNumber(rawValue: 12), of: plugin)
        #expect(transfer.text == "com.example.feed:transfer:12" && transfer.isOfHost)
        #expect(TaskIdentifier(transfer.text) == transfer)
        #expect(transfer.transfer?.plugin == plugin && transfer.transfer?.number.rawValue == 12)
        #expect(PermittedIdentifier(transfer.text) == nil)
        #expect(PermittedIdentifier("com.example.*")?.covers(transfer) == false)
        for number in ["", "0", "012", "-1", "x"] {
            #expect(TaskIdentifier("com.example.feed:transfer:\(number)") == nil)
        }
        #expect(TaskIdentifier("feed:transfer:1") == nil)
    }

    @Test func `the name of an event is no task identifier`() throws {
        for event in EventType.allCases {
            #expect(TaskIdentifier(event.name) == nil)
            #expect(try #require(TaskIdentifier.flaw(in: event.name)).problem == "is the name of an event")
        }
        #expect(TaskIdentifier("com.example.started")?.hasOneLabel == false)
    }

    @Test func `an identifier of 255 bytes is accepted, one of 256 bytes is refused`() throws {
        let longest = "a." + String(repeating: "b", count: 253)
        #expect(TaskIdentifier(longest) != nil)
        let flaw = try #require(ReverseDNSName.flaw(in: longest + "b"))
        #expect(flaw.text == "has 256 bytes, and at most 255 are allowed; shorten it")
    }

    @Test func `the message about an invalid identifier is its problem, a semicolon and its remedy`() throws {
        for text in ["", "example", "com..example", "com.exa mple"] {
            let flaw = try #require(ReverseDNSName.flaw(in: text))
            #expect(flaw.text == "\(flaw.problem); \(flaw.remedy)" && !flaw.problem.contains(";"))
        }
        #expect(ReverseDNSName.flaw(in: "com.example") == nil)
    }

    @Test(.proves(9)) func `identifiers that differ in case are different`() {
        #expect(TaskIdentifier("com.example.a") != TaskIdentifier("com.example.A"))
    }

    @Test(.proves(10))
    func `a pattern with a dot and a star at its end covers identifiers that continue its prefix`() throws {
        let pattern = try #require(PermittedIdentifier("com.example.app.export.*"))
        #expect(pattern.description == "com.example.app.export.*")
        #expect(pattern.covers(try #require(TaskIdentifier("com.example.app.export.one"))))
        #expect(pattern.covers(try #require(TaskIdentifier("com.example.app.export.one.two"))))
        for other in ["com.example.app.export", "com.example.app.exports", "com.example.app.Export.one"] {
            #expect(!pattern.covers(try #require(TaskIdentifier(other))))
        }
    }

    @Test(.proves(10), arguments: ["*", ".*", "com.*", "com.example*", "com.*.app", "com.example.*.*"])
    func `a pattern with a star before its end, or with too short a prefix, is invalid`(_ text: String) {
        #expect(PermittedIdentifier(text) == nil)
    }

    @Test(.proves(9)) func `an exact permitted identifier covers itself, and not an identifier that continues it`()
        throws
    {
        let exact = try #require(PermittedIdentifier("com.example.app"))
        #expect(exact.covers(try #require(TaskIdentifier("com.example.app"))))
        #expect(!exact.covers(try #require(TaskIdentifier("com.example.app.more"))))
    }
}
