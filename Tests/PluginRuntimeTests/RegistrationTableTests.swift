// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime
import StatementTraits
import TaskModel
import Testing

@Suite("Handlers are registered once, in entry, by the main plugin, as the manifest permits")
struct RegistrationTableTests {
    private let refresh = identifier("com.example.app.refresh")

    @Test(.proves(12))
    func `a handler registered in entry for a permitted identifier is called for tasks of that identifier`() {
        var table = table()
        #expect(table.register("com.example.app.refresh", "first").isRegistered)
        _ = table.closeEntry(succeeded: true)
        #expect(table.beginCall(for: refresh)?.handler == "first")
    }

    @Test(.proves(1)) func `a registration of an identifier that the manifest lacks is refused`() {
        var table = table()
        #expect(table.register("com.example.app.other", "handler") == .notPermitted)
        #expect(table.register("com.example.APP.refresh", "handler") == .notPermitted)
    }

    @Test(.proves(16)) func `a second registration of an identifier is refused, and the first handler stays`() {
        var table = table()
        #expect(table.register("com.example.app.refresh", "first").isRegistered)
        #expect(table.register("com.example.app.refresh", "second") == .duplicate)
        _ = table.closeEntry(succeeded: true)
        #expect(table.beginCall(for: refresh)?.handler == "first")
    }

    @Test(.proves(13)) func `a handler registered in one launch's table does not exist in another launch's table`() {
        var first = table()
        #expect(first.register("com.example.app.refresh", "handler").isRegistered)
        _ = first.closeEntry(succeeded: true)
        var second = table()
        #expect(!second.isRegistered(refresh) && second.names.isEmpty)
        #expect(second.register("com.example.app.refresh", "again").isRegistered)
        _ = second.closeEntry(succeeded: true)
        #expect(second.beginCall(for: refresh)?.handler == "again")
    }

    @Test(.proves(17))
    func `a missing handler has no effect at the end of entry, and is found missing at submission and at delivery`() {
        var table = table()
        _ = table.register("com.example.app.refresh", "handler")
        #expect(table.closeEntry(succeeded: true) == [])
        #expect(table.lacksHandler(for: identifier("com.example.app.clean")))
        #expect(table.beginCall(for: identifier("com.example.app.clean"))?.handler == nil)
    }

    @Test(.proves(18)) func `a submitted identifier needs a handler in the plugin's process, except for extensions`() {
        var table = table()
        #expect(table.lacksHandler(for: refresh))
        #expect(table.register("com.example.app.refresh", "handler").isRegistered)
        #expect(!table.lacksHandler(for: refresh) && table.lacksHandler(for: identifier("com.example.app.clean")))
        // The host judges unpermitted identifiers; an extension submits for its main plugin's process.
        #expect(!table.lacksHandler(for: identifier("com.example.app.other")))
        let ofExtension = RegistrationTable<String>(role: .extension, permitted: permitted)
        #expect(!ofExtension.lacksHandler(for: refresh))
    }

    @Test(.proves(14))
    func `an identifier that the manifest lists by name cannot be registered after entry in a background launch`() {
        var table = table()
        _ = table.closeEntry(succeeded: true)
        #expect(table.register("com.example.app.refresh", "late") == .wrongPhase)
        #expect(table.isRegistered(refresh) == false)
    }

    @Test(.proves(15)) func `an identifier that only a pattern permits may be registered after entry`() {
        var table = table()
        _ = table.closeEntry(succeeded: true)
        #expect(table.register("com.example.app.export.photos", "late").isRegistered)
        #expect(table.register("com.example.app.export.*", "pattern").isRegistered)
    }

    @Test(.proves(14, 15))
    func `a foreground launch may register a listed identifier late, unless it has a non-continued task for it`() {
        let clean = identifier("com.example.app.clean")
        let late = LateRegistration(inForeground: true, otherKinds: [refresh])
        var table = RegistrationTable<String>(role: .main, permitted: permitted, late: late)
        _ = table.closeEntry(succeeded: true)
        #expect(table.register("com.example.app.clean", "late") == .registered(.exact(clean), isLate: true))
        #expect(table.register("com.example.app.clean", "again") == .duplicate)
        #expect(table.register("com.example.app.refresh", "late") == .wrongPhase)
        #expect(table.register("com.example.app.nowhere", "late") == .wrongPhase)
        #expect(table.beginCall(for: clean)?.handler == "late" && !table.lacksHandler(for: clean))
    }

    @Test(.proves(14)) func `a listed identifier registered after entry serves only continued tasks`() {
        let clean = identifier("com.example.app.clean"), photos = identifier("com.example.app.export.photos")
        var table = RegistrationTable<String>(
            role: .main,
            permitted: permitted,
            late: LateRegistration(inForeground: true)
        )
        _ = table.register("com.example.app.refresh", "early")
        _ = table.closeEntry(succeeded: true)
        #expect(!table.servesContinuedAlone(clean))
        _ = table.register("com.example.app.clean", "late")
        _ = table.register("com.example.app.export.photos", "late")
        #expect(table.servesContinuedAlone(clean))
        #expect(!table.servesContinuedAlone(refresh) && !table.servesContinuedAlone(photos))
    }

    @Test(.proves(15)) func `a registration after entry is marked as late, for the report to the host`() {
        var table = table()
        let photos = PermittedIdentifier.exact(identifier("com.example.app.export.photos"))
        let music = PermittedIdentifier.exact(identifier("com.example.app.export.music"))
        #expect(table.register("com.example.app.export.photos", "early") == .registered(photos, isLate: false))
        _ = table.closeEntry(succeeded: true)
        #expect(table.register("com.example.app.export.music", "late") == .registered(music, isLate: true))
        #expect(table.register("com.example.app.export.music", "again") == .duplicate)
    }

    @Test(.proves(14, 15))
    func `in a background launch only identifiers that a pattern alone permits may be registered late`() {
        var table = RegistrationTable<String>(
            role: .main,
            permitted: permitted + [.exact(identifier("com.example.app.export.daily"))]
        )
        _ = table.closeEntry(succeeded: true)
        #expect(table.register("com.example.app.export.weekly", "late").isRegistered)
        #expect(table.register("com.example.app.export.daily", "late") == .wrongPhase)
        #expect(table.register("com.example.app.clean", "late") == .wrongPhase)
        #expect(table.register("com.example.app.nowhere", "late") == .wrongPhase)
    }

    @Test(.proves(10, 19))
    func `of several patterns the longest match handles a task, unless the task's exact name is registered`() {
        var table = RegistrationTable<String>(
            role: .main,
            permitted: ["com.example.app.*", "com.example.app.export.*", "com.example.app.export.photos.*"]
                .compactMap(PermittedIdentifier.init)
        )
        for pattern in ["com.example.app.export.*", "com.example.app.*", "com.example.app.export.photos.*"] {
            #expect(table.register(pattern, pattern).isRegistered)
        }
        #expect(table.register("com.example.app.export.photos.7", "name").isRegistered)
        _ = table.closeEntry(succeeded: true)
        func handler(_ text: String) -> String? { table.beginCall(for: identifier(text))?.handler }
        #expect(handler("com.example.app.import") == "com.example.app.*")
        #expect(handler("com.example.app.export.music") == "com.example.app.export.*")
        #expect(handler("com.example.app.export.photos") == "com.example.app.export.*")
        #expect(handler("com.example.app.export.photos.8") == "com.example.app.export.photos.*")
        #expect(handler("com.example.app.export.photos.7") == "name")
    }

    @Test
    func `a call of a pattern's handler releases that handler, although the exact name is registered during the call`()
        throws
    {
        var table = table()
        let photos = identifier("com.example.app.export.photos")
        _ = table.register("com.example.app.export.*", "pattern")
        _ = table.closeEntry(succeeded: true)
        let begun = table.beginCall(for: photos)
        let call = try #require(begun)
        #expect(table.register("com.example.app.export.photos", "name").isRegistered)
        #expect(table.beginCall(for: photos)?.handler == "name")
        #expect(table.end() == [])
        #expect(table.endCall(call) == "pattern")
    }

    @Test(.proves(18))
    func `an identifier that only a pattern permits lacks a handler until that pattern has one`() {
        var table = table()
        let photos = identifier("com.example.app.export.photos")
        #expect(table.lacksHandler(for: photos))
        _ = table.register("com.example.app.export.music", "other")
        #expect(table.lacksHandler(for: photos))
        _ = table.register("com.example.app.export.*", "pattern")
        #expect(!table.lacksHandler(for: photos))
    }

    @Test(.proves(20))
    func `an extension's registration is refused, whether or not the manifest permits the identifier`() {
        var table = RegistrationTable<String>(role: .extension, permitted: permitted)
        #expect(table.register("com.example.app.refresh", "handler") == .wrongRole)
        #expect(table.register("com.example.app.other", "handler") == .wrongRole)
    }

    @Test(arguments: ["", "refresh.", "refresh.*", "com..refresh", "com.example.app refresh", "*", ".*"])
    func `a registration of a malformed identifier is refused as malformed`(text: String) {
        var table = table()
        #expect(table.register(text, "handler") == .malformed)
    }

    @Test func `a pattern is registered only exactly as in the manifest, and an exact name takes precedence over it`() {
        var table = table()
        #expect(table.register("com.example.app.*", "wider") == .notPermitted)
        #expect(table.register("com.example.app.export.*", "pattern").isRegistered)
        #expect(table.register("com.example.app.export.photos", "name").isRegistered)
        _ = table.closeEntry(succeeded: true)
        #expect(table.beginCall(for: identifier("com.example.app.export.photos"))?.handler == "name")
        #expect(table.beginCall(for: identifier("com.example.app.export.music"))?.handler == "pattern")
        #expect(table.names.map(\.description) == ["com.example.app.export.*", "com.example.app.export.photos"])
    }

    @Test func `a failing entry drops every registration, each to be released once`() {
        var table = table()
        _ = table.register("com.example.app.refresh", "first")
        _ = table.register("com.example.app.clean", "second")
        #expect(table.closeEntry(succeeded: false) == ["first", "second"])
        #expect(table.beginCall(for: refresh)?.handler == nil)
        #expect(table.end() == [])
    }

    @Test func `a handler in use at the launch's end is released by its last call`() throws {
        var table = table()
        _ = table.register("com.example.app.refresh", "busy")
        _ = table.register("com.example.app.clean", "idle")
        _ = table.closeEntry(succeeded: true)
        let begunFirst = table.beginCall(for: refresh)
        let first = try #require(begunFirst)
        let begunSecond = table.beginCall(for: refresh)
        let second = try #require(begunSecond)
        #expect(first.handler == "busy" && second.handler == "busy")
        #expect(table.end() == ["idle"])
        #expect(table.endCall(first) == nil)
        #expect(table.endCall(second) == "busy")
        #expect(table.endCall(second) == nil)
    }

    @Test func `no handler is called before entry has returned or after the launch's end`() {
        var table = table()
        _ = table.register("com.example.app.refresh", "handler")
        #expect(table.beginCall(for: refresh)?.handler == nil)
        _ = table.closeEntry(succeeded: true)
        _ = table.end()
        #expect(table.beginCall(for: refresh)?.handler == nil)
        #expect(table.register("com.example.app.export.photos", "late") == .wrongPhase)
    }

    @Test func `a launch that ends during entry stays ended after entry has returned`() {
        var table = table()
        _ = table.register("com.example.app.refresh", "handler")
        #expect(table.end() == ["handler"])
        #expect(table.closeEntry(succeeded: true) == [])
        #expect(table.beginCall(for: refresh)?.handler == nil)
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

extension RegistrationTable.Verdict {
    var isRegistered: Bool { if case .registered = self { true } else { false } }
}
