// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime
import TaskModel
import Testing

@Suite("Handlers are registered in entry, by the main plugin, once, and as the manifest permits")
struct RegistrationTableTests {
    private let refresh = identifier("com.example.app.refresh")

    @Test func `12: a permitted identifier registered in entry has its handler`() {
        var table = table()
        #expect(table.register("com.example.app.refresh", "first") == .registered)
        _ = table.closeEntry(succeeded: true)
        #expect(table.beginCall(for: refresh) == "first")
    }

    @Test func `1: an identifier that the manifest lacks is refused`() {
        var table = table()
        #expect(table.register("com.example.app.other", "handler") == .notPermitted)
        #expect(table.register("com.example.APP.refresh", "handler") == .notPermitted)
    }

    @Test func `16: the second registration is refused and the first handler stays`() {
        var table = table()
        #expect(table.register("com.example.app.refresh", "first") == .registered)
        #expect(table.register("com.example.app.refresh", "second") == .duplicate)
        _ = table.closeEntry(succeeded: true)
        #expect(table.beginCall(for: refresh) == "first")
    }

    @Test func `statement 13: what one process registered another does not have`() {
        var first = table()
        #expect(first.register("com.example.app.refresh", "handler") == .registered)
        _ = first.closeEntry(succeeded: true)
        var second = table()
        #expect(!second.isRegistered(refresh) && second.identifiers.isEmpty)
        #expect(second.register("com.example.app.refresh", "again") == .registered)
        _ = second.closeEntry(succeeded: true)
        #expect(second.beginCall(for: refresh) == "again")
    }

    @Test func `statement 18: what the plugin submits must have a handler in its process`() {
        var table = table()
        #expect(table.lacksHandler(for: refresh))
        #expect(table.register("com.example.app.refresh", "handler") == .registered)
        #expect(!table.lacksHandler(for: refresh) && table.lacksHandler(for: identifier("com.example.app.clean")))
        // Not permitted is another matter, and the host's; an extension submits for its main plugin's process.
        #expect(!table.lacksHandler(for: identifier("com.example.app.other")))
        let ofExtension = RegistrationTable<String>(role: .extension, permitted: permitted)
        #expect(!ofExtension.lacksHandler(for: refresh))
    }

    @Test func `14: after entry nothing is registered any more`() {
        var table = table()
        _ = table.closeEntry(succeeded: true)
        #expect(table.register("com.example.app.refresh", "late") == .wrongPhase)
        #expect(table.isRegistered(refresh) == false)
    }

    @Test func `15: an identifier that only a pattern permits may register later`() {
        var table = table()
        _ = table.closeEntry(succeeded: true)
        #expect(table.register("com.example.app.export.photos", "late") == .registered)
        #expect(table.register("com.example.app.export.*", "pattern") == .registered)
    }

    @Test func `20: an extension cannot register, whatever it names`() {
        var table = RegistrationTable<String>(role: .extension, permitted: permitted)
        #expect(table.register("com.example.app.refresh", "handler") == .wrongRole)
        #expect(table.register("com.example.app.other", "handler") == .wrongRole)
    }

    @Test(arguments: ["", "refresh", "com..refresh", "com.example.app refresh", "*", ".*"])
    func `a malformed identifier is refused as such`(text: String) {
        var table = table()
        #expect(table.register(text, "handler") == .malformed)
    }

    @Test func `a pattern is registered as the manifest has it and stands behind a name`() {
        var table = table()
        #expect(table.register("com.example.app.*", "wider") == .notPermitted)
        #expect(table.register("com.example.app.export.*", "pattern") == .registered)
        #expect(table.register("com.example.app.export.photos", "name") == .registered)
        _ = table.closeEntry(succeeded: true)
        #expect(table.beginCall(for: identifier("com.example.app.export.photos")) == "name")
        #expect(table.beginCall(for: identifier("com.example.app.export.music")) == "pattern")
        #expect(table.identifiers == [identifier("com.example.app.export.photos")])
    }

    @Test func `an entry that fails drops every registration, each to be released once`() {
        var table = table()
        _ = table.register("com.example.app.refresh", "first")
        _ = table.register("com.example.app.clean", "second")
        #expect(table.closeEntry(succeeded: false) == ["first", "second"])
        #expect(table.beginCall(for: refresh) == nil)
        #expect(table.end() == [])
    }

    @Test func `a handler in use at the end is released by its last call`() {
        var table = table()
        _ = table.register("com.example.app.refresh", "busy")
        _ = table.register("com.example.app.clean", "idle")
        _ = table.closeEntry(succeeded: true)
        #expect(table.beginCall(for: refresh) == "busy")
        #expect(table.beginCall(for: refresh) == "busy")
        #expect(table.end() == ["idle"])
        #expect(table.endCall(for: refresh) == nil)
        #expect(table.endCall(for: refresh) == "busy")
        #expect(table.endCall(for: refresh) == nil)
    }

    @Test func `before entry has returned and after the end no call begins`() {
        var table = table()
        _ = table.register("com.example.app.refresh", "handler")
        #expect(table.beginCall(for: refresh) == nil)
        _ = table.closeEntry(succeeded: true)
        _ = table.end()
        #expect(table.beginCall(for: refresh) == nil)
        #expect(table.register("com.example.app.export.photos", "late") == .wrongPhase)
    }

    @Test func `an end that comes before entry has returned stays the end`() {
        var table = table()
        _ = table.register("com.example.app.refresh", "handler")
        #expect(table.end() == ["handler"])
        #expect(table.closeEntry(succeeded: true) == [])
        #expect(table.beginCall(for: refresh) == nil)
        #expect(table.register("com.example.app.export.photos", "late") == .wrongPhase)
    }

    private let permitted: [PermittedIdentifier] = [
        .exact(identifier("com.example.app.refresh")),
        .exact(identifier("com.example.app.clean")),
        .pattern(prefix: identifier("com.example.app.export")),
    ]

    private func table() -> RegistrationTable<String> {
        RegistrationTable(role: .main, permitted: permitted)
    }
}

func identifier(_ text: String) -> TaskIdentifier {
    guard let identifier = TaskIdentifier(text) else { preconditionFailure("a test's identifier must be valid") }
    return identifier
}
