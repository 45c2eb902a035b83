// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import PluginCatalogue
import TaskModel
import Testing

@Suite("Mistakes in a handler are reported when the manifest is read")
struct HandlerTests {
    /// A manifest that binds one function, with the given lines for the handler.
    private func manifest(_ handler: String, _ more: String = "") -> String {
        yaml(
            """
            background-modes: [processing]
            permitted-identifiers: [com.example.feed.nightly]
            settings: { directory: /var/log }
            \(more)
            handlers:
            \(handler)
            """
        )
    }

    private func handler(
        identifier: String = "com.example.feed.nightly",
        symbol: String = "run",
        arguments: String = "[cancel-flag]",
        returns: String = "void"
    ) -> String {
        manifest(
            "  - identifier: \(identifier)\n    symbol: \(symbol)\n    arguments: \(arguments)\n    returns: \(returns)"
        )
    }

    /// The description of the first problem in a manifest with the given function argument; nil without a problem.
    private func flaw(_ argument: String) -> String? {
        read(handler(arguments: "[cancel-flag, \(argument)]")).problems.first.map {
            $0.description.replacing("feed.yaml:11:", with: "")
        }
    }

    private func arguments(_ text: String) -> [FunctionArgument]? {
        let reading = read(handler(arguments: text))
        #expect(reading.problems.filter { $0.severity == .error } == [])
        return reading.manifest?.handlers.first?.arguments
    }

    // MARK: Valid handlers

    @Test func `a handler with three arguments is parsed into its arguments, its result and its signature`() throws {
        let reading = read(
            yaml(
                """
                background-modes: [processing]
                permitted-identifiers: [com.example.logtrim.nightly]
                handlers:
                  - identifier: com.example.logtrim.nightly
                    symbol: logtrim_run
                    arguments: [ { string: /var/log/app }, { int64: 1048576 }, cancel-flag ]
                    returns: { int32: success-when-zero }
                """
            )
        )
        #expect(reading.problems == [])
        let handler = try #require(reading.manifest?.handlers.first)
        #expect(handler.identifier.text == "com.example.logtrim.nightly")
        #expect(handler.arguments == [.string("/var/log/app"), .int64(1_048_576), .cancelFlag])
        #expect(handler.result == .int32(.zero))
        #expect(handler.signature == "int32_t logtrim_run(const char *, int64_t, int32_t *)")
    }

    @Test func `every kind of argument in a manifest's handler is parsed, with its extreme values`() {
        #expect(
            arguments("[{ string: \"\" }, { string: \"12\" }, { int32: -2147483648 }, { uint32: 4294967295 }]")
                == [.string(""), .string("12"), .int32(.min), .uint32(.max)]
        )
        #expect(
            arguments("[{ int64: -9223372036854775808 }, { uint64: 18446744073709551615 }, { double: -1.5e-300 }]")
                == [.int64(.min), .uint64(.max), .double(-1.5e-300)]
        )
        #expect(
            arguments("[{ bool: true }, { bool: false }, { bytes: \"\" }, { bytes: 00fFa0 }]")
                == [.bool(true), .bool(false), .bytes([]), .bytes([0, 255, 160])]
        )
        #expect(
            arguments("[cancel-flag, payload, container-path, remaining-ms, { setting: directory }, null, out-int64]")
                == [
                    .cancelFlag, .payload, .containerPath, .remainingMilliseconds, .setting("directory"), .null,
                    .outInt64,
                ]
        )
        #expect(
            arguments("[{ out-string: 1 }, { out-string: 65536 }]") == [.outString(size: 1), .outString(size: 65_536)]
        )
        #expect(arguments("[]") == [])
    }

    @Test(arguments: [
        ("void", FunctionResult.void), ("{ int32: success-when-nonzero }", .int32(.nonzero)),
        ("{ int64: success-when-nonnegative }", .int64(.nonnegative)), ("{ pointer: success-when-non-null }", .pointer),
    ])
    func `every kind of result in a manifest's handler is parsed`(text: String, result: FunctionResult) {
        let reading = read(handler(returns: text))
        #expect(reading.problems == [])
        #expect(reading.manifest?.handlers.first?.result == result)
    }

    @Test func `the signature of a bound function is formatted as C`() throws {
        let identifier = try #require(TaskIdentifier("a.b"))
        let all: [FunctionArgument] = [
            .bytes([1]), .payload, .bool(true), .double(0), .uint32(0), .uint64(0), .null, .outString(size: 8),
            .outInt64,
            .setting("x"), .containerPath, .remainingMilliseconds,
        ]
        let handler = FunctionBinding(identifier: identifier, symbol: "f", arguments: all, result: .pointer)
        #expect(
            handler.signature == """
                void *f(const void *, size_t, const void *, size_t, bool, double, uint32_t, uint64_t, void *, char *, \
                size_t, int64_t *, const char *, const char *, int64_t)
                """
        )
        let none = FunctionBinding(identifier: identifier, symbol: "g", arguments: [], result: .void)
        #expect(none.signature == "void g(void)")
    }

    @Test
    func `the text of a bound function has its signature, and its values and success rule as in the manifest`() throws {
        let text = handler(
            arguments:
                #"[{ string: "a\"\n" }, { int64: -5 }, { bytes: 00fF }, { bool: true }, { out-string: 8 }, cancel-flag]"#,
            returns: "{ int32: success-when-nonzero }"
        )
        let bound = try #require(read(text).manifest?.handlers.first)
        #expect(
            bound.text == #"""
                int32_t run(const char *, int64_t, const void *, size_t, bool, char *, size_t, int32_t *); called with \#
                string: "a\"\n", int64: -5, bytes: "00ff", bool: true, out-string: 8, cancel-flag; success-when-nonzero
                """#
        )
        #expect(FunctionArgument.string("\n").text != FunctionArgument.string(#"\n"#).text)
        let none = FunctionBinding(identifier: bound.identifier, symbol: "g", arguments: [], result: .void)
        #expect(none.text == "void g(void)")
    }

    // MARK: Invalid handlers

    @Test func `an argument value that does not fit its type is refused with the valid range or notation`() {
        #expect(
            flaw("{ int32: 2147483648 }") == """
                39: handlers[0].arguments[1].int32: is "2147483648", not a whole number from -2147483648 to 2147483647; \
                write a value in that range
                """
        )
        #expect(flaw("{ uint32: -1 }")?.contains("from 0 to 4294967295; write a value in that range") == true)
        #expect(flaw("{ int64: 1.5 }")?.hasSuffix("write digits, with - for a negative number, without quotes") == true)
        #expect(flaw("{ uint64: 1.5 }")?.hasSuffix("write only digits, without quotes") == true)
        #expect(flaw("{ uint64: 18446744073709551616 }")?.contains("to 18446744073709551615") == true)
        #expect(flaw("{ double: wide }")?.hasSuffix("write it like 0.5 or 1e-3, without quotes") == true)
        #expect(flaw("{ double: 1e999 }")?.contains("not a finite double") == true)
        #expect(flaw("{ bool: yes }")?.hasSuffix("write true or false") == true)
        #expect(flaw("{ int32: \"5\" }")?.hasSuffix("write it without quotes") == true)
        #expect(flaw("{ bytes: 0f0 }")?.contains("two digits for each byte") == true)
        #expect(flaw("{ out-string: 0 }")?.contains("not a whole number from 1 to 65536") == true)
        #expect(flaw("{ out-string: 65537 }")?.contains("not a whole number from 1 to 65536") == true)
    }

    @Test func `an unknown kind of argument, result or rule is refused with the most similar known one`() {
        #expect(
            flaw("{ int46: 5 }")?.hasSuffix("write \"int64\"") == true
        )
        #expect(flaw("cancel_flag")?.hasSuffix("write \"cancel-flag\"") == true)
        #expect(found(handler(returns: "{ int23: success-when-zero }")) == ["12 handlers[0].returns wrong-value"])
        #expect(
            read(handler(returns: "{ int32: success-when-zreo }")).problems.first?.remedy
                == "write \"success-when-zero\""
        )
    }

    @Test func `an argument with a superfluous or without a required value is refused with the correct form`() {
        #expect(flaw("int64")?.hasSuffix("is int64 without its value; write { int64: -5 }") == true)
        #expect(flaw("{ payload: 5 }")?.hasSuffix("payload takes no value; write only payload") == true)
        #expect(flaw("{ string: [a] }")?.contains("is a list, not a single value") == true)
        #expect(flaw("{ string: a, int32: 5 }")?.contains("is a mapping, not an argument") == true)
        #expect(flaw("{ string: }")?.contains("is nothing, not a single value") == true)
        #expect(flaw("~")?.contains("is nothing, not an argument") == true)
        #expect(
            read(handler(returns: "int32")).problems.first?.remedy
                == "write { int32: RULE } with one of success-when-zero, success-when-nonzero, success-when-nonnegative"
        )
        #expect(
            found(handler(returns: "{ void: success-when-zero }")) == ["12 handlers[0].returns.void handler-returns"]
        )
        #expect(
            found(handler(returns: "{ pointer: success-when-zero }")) == [
                "12 handlers[0].returns.pointer handler-returns"
            ]
        )
    }

    @Test func `an argument with an unknown setting is refused with the most similar setting`() {
        #expect(
            flaw("{ setting: directroy }")?.hasSuffix("which settings does not define; write \"directory\"") == true
        )
        #expect(flaw("{ setting: quantity }")?.contains("add it to settings") == true)
    }

    // MARK: Downloads

    @Test func `a download is an argument with a URL, and its grants have the network or its port`() {
        let lines = """
              - identifier: com.example.feed.nightly
                symbol: run
                arguments: [ { download: https://example.com/list.gz }, cancel-flag ]
                returns: void
            """
        for grants in ["{ network: true }", "{ network: { connect: [443] } }"] {
            let reading = read(manifest(lines, "grants: \(grants)"))
            #expect(reading.problems == [])
            let bound = reading.manifest?.handlers.first
            #expect(bound?.arguments == [.download("https://example.com/list.gz"), .cancelFlag])
            #expect(bound?.text.contains("called with download: \"https://example.com/list.gz\", cancel-flag") == true)
        }
        let refused = read(manifest(lines, "grants: { network: { connect: [80] } }")).problems.map(\.description)
        #expect(refused.count == 1 && refused.first?.contains("is a download from port 443, and grants") == true)
        #expect(refused.first?.contains("write grants: { network: { connect: [443, 53] } }, or") == true)
        #expect(flaw("{ download: https://example.com/a }")?.hasSuffix("or grants: { network: true }") == true)
    }

    @Test func `a download with another scheme, a user name or a space is refused with the rule of transfers`() {
        #expect(flaw("{ download: ftp://example.com/a }")?.contains("neither http:// nor https://") == true)
        #expect(flaw("{ download: https://user@example.com/a }")?.contains("has a user name or a password") == true)
        #expect(flaw("{ download: \"https://example.com/a b\" }")?.contains("escape it with %") == true)
    }

    @Test func `a handler in a manifest has at most 32 arguments`() {
        let many = Array(repeating: "null", count: 33).joined(separator: ", ")
        #expect(found(handler(arguments: "[\(many)]")).contains("11 handlers[0].arguments handler-arguments"))
        let most = ["cancel-flag"] + Array(repeating: "null", count: 31)
        #expect(found(handler(arguments: "[\(most.joined(separator: ", "))]")) == [])
    }

    @Test(arguments: [
        ("run()", "write only the name"), ("\"int run\"", "write only the name"), ("run@@V_2", "write only \"run\""),
        ("7up", "write only the name"), ("\"\"", "write only the name"),
    ])
    func `a handler's symbol that is not just the name of a function is refused with a remedy`(
        symbol: String,
        remedy: String
    ) {
        let problem = read(handler(symbol: symbol)).problems.first
        #expect(problem?.short == "10 handlers[0].symbol handler-symbol")
        #expect(problem?.remedy.hasPrefix(remedy) == true)
    }

    @Test func `a handler requires identifier, symbol, arguments and returns`() {
        #expect(
            found(manifest("  - x-why: soon")) == [
                "9 handlers[0].identifier missing-key", "9 handlers[0].symbol missing-key",
                "9 handlers[0].arguments missing-key", "9 handlers[0].returns missing-key",
            ]
        )
        #expect(found(handler() + "    budget: 5\n") == ["13 handlers[0].budget unknown-key"])
    }

    @Test func `a handler's identifier that is malformed, not permitted, bound twice or a pattern is refused`() {
        let two = """
              - { identifier: com.example.feed.nightly, symbol: a, arguments: [cancel-flag], returns: void }
              - { identifier: com.example.feed.nightly, symbol: b, arguments: [cancel-flag], returns: void }
            """
        let repeated = read(manifest(two)).problems.first
        #expect(repeated?.short == "10 handlers[1].identifier handler-identifier")
        #expect(repeated?.message == "is \"com.example.feed.nightly\", which is bound already on line 9")
        let foreign = read(handler(identifier: "com.example.feed.nightli")).problems.first
        #expect(foreign?.message == "is \"com.example.feed.nightli\", which permitted-identifiers does not list")
        #expect(foreign?.remedy == "write \"com.example.feed.nightly\"")
        #expect(found(handler(identifier: "com.example.feed.*")) == ["9 handlers[0].identifier handler-identifier"])
        #expect(found(handler(identifier: "nightly!")) == ["9 handlers[0].identifier identifier"])
    }

    @Test func `every permitted identifier of a plugin with handlers has to be bound`() {
        let text = handler().replacing(
            "[com.example.feed.nightly]",
            with: "[com.example.feed.nightly, com.example.feed.weekly, com.example.feed.export.*]"
        )
        #expect(
            read(text).problems.map(\.description) == [
                """
                feed.yaml:5:51: permitted-identifiers[1]: is "com.example.feed.weekly", which no handler binds to a \
                function; add a handler for this identifier, or remove the identifier
                """,
                """
                feed.yaml:5:76: permitted-identifiers[2]: is the pattern "com.example.feed.export.*", which cannot \
                be bound to a function; name the identifiers one by one, and write a handler for each
                """,
            ]
        )
    }

    @Test func `handlers are refused without a background mode, as an empty list and as a text`() {
        #expect(found(handler().replacing("[processing]", with: "[]")) == ["9 handlers handlers"])
        #expect(found(manifest("  []")).contains("9 handlers handlers"))
        #expect(found(manifest("  nightly")).contains("9 handlers wrong-type"))
    }

    @Test func `a bound function without a cancel flag causes a note and is accepted`() {
        let reading = read(handler(arguments: "[{ int32: 5 }]"))
        #expect(reading.manifest?.handlers.count == 1)
        #expect(reading.problems.map(\.severity) == [.note])
        #expect(reading.problems.map(\.short) == ["9 handlers[0] no-cancel-flag"])
    }

    @Test func `handlers in a property list are ignored`() {
        let list = """
            <?xml version="1.0"?><plist><dict><key>CFBundleIdentifier</key><string>com.example.feed</string>
            <key>CFBundleExecutable</key><string>Feed</string><key>handlers</key><array/></dict></plist>
            """
        let reading = read(list, file: "Info.plist")
        #expect(reading.manifest?.handlers == [])
        #expect(reading.problems == [])
    }

    // MARK: The library

    private static let binding = """
        background-modes: [processing]
        permitted-identifiers: [com.example.feed.nightly]
        handlers:
          - identifier: com.example.feed.nightly
            symbol: SYMBOL
            arguments: [cancel-flag]
            returns: void
        """

    @Test func `a bound function that the library does not export is reported at its line in the manifest`() throws {
        try Workshop.with { workshop in
            try workshop.write(Array(try workshop.functions()), "plugins/libFeed.so")
            let file = try workshop.installManifest(
                "operator/feed.yaml",
                identifier: "com.example.feed",
                Self.binding.replacing("SYMBOL", with: "nightli")
            )
            let problem = workshop.load().refused.first?.problems.first
            #expect(
                problem?.description == """
                    \(file):8:13: handlers[0].symbol: library "\(workshop.path("plugins/libFeed.so"))" does not export "nightli"; \
                    write "nightly" if that function is meant
                    """
            )
            try workshop.write(
                "manifest: 1\nidentifier: com.example.feed\nlibrary: libFeed.so\n"
                    + Self.binding.replacing("SYMBOL", with: "nightly"),
                "operator/feed.yaml"
            )
            let entry = workshop.load().entries.first
            #expect(entry?.handlers.map(\.signature) == ["void nightly(int32_t *)"])
        }
    }

    @Test func `a plugin with an entry cannot bind functions`() throws {
        try Workshop.with { workshop in
            try workshop.installLibrary()
            try workshop.installManifest(
                "operator/feed.yaml",
                identifier: "com.example.feed",
                Self.binding.replacing("SYMBOL", with: "bgtask_plugin_entry")
            )
            let problem = workshop.load().refused.first?.problems.first
            #expect(problem?.rule.rawValue == "note-beside-handlers")
            #expect(problem?.remedy.contains("or name a library without a bgtask note") == true)
        }
    }

    @Test func `one library is judged separately for a manifest with handlers and for one without`() throws {
        try Workshop.with { workshop in
            try workshop.write(Array(try workshop.functions()), "plugins/libFeed.so")
            try workshop.installManifest(
                "operator/a.yaml",
                identifier: "com.example.feed",
                Self.binding.replacing("SYMBOL", with: "nightly")
            )
            try workshop.installManifest("operator/b.yaml", identifier: "com.example.other")
            // Every file counts as old, so that each use of the library is examined once.
            let contents = workshop.load(cache: CatalogueCache(now: { .max }))
            #expect(contents.entries.map(\.identifier.text) == ["com.example.feed"])
            #expect(contents.refused.map(\.identifier?.text) == ["com.example.other"])
        }
    }

    @Test func `an absolute library path is accepted only in the operator's manifests, and only with handlers`() throws
    {
        try Workshop.with { workshop in
            let library = try workshop.write(Array(try workshop.functions()), "elsewhere/libFeed.so")
            let text = "manifest: 1\nidentifier: com.example.feed\nlibrary: \(library)\n"
            let bound = text + Self.binding.replacing("SYMBOL", with: "nightly")
            try workshop.write(bound, "operator/feed.yaml")
            #expect(workshop.load().entries.first?.library.path == library)
            try workshop.write(text, "operator/feed.yaml")
            #expect(workshop.load().refused.first?.problems.map(\.short) == ["3 library library-path"])
            try workshop.write("", "operator/feed.yaml")
            try workshop.write(bound, "packages/feed.yaml")
            let problem = workshop.load().refused.first { $0.file.contains("packages") }?.problems.first
            #expect(problem?.message.hasSuffix("which only manifests in the operator's directory may use") == true)
        }
    }

    @Test func `a library with an absolute path is watched, including the targets of its links`() throws {
        try Workshop.with { workshop in
            try workshop.write(Array(try workshop.functions()), "real/libFeed.so.1.2")
            try workshop.makeDirectory(workshop.path("elsewhere"))
            try workshop.link(workshop.path("elsewhere/libFeed.so.1"), to: "../real/libFeed.so.1.2")
            try workshop.write(
                "manifest: 1\nidentifier: com.example.feed\nlibrary: \(workshop.path("elsewhere/libFeed.so.1"))\n"
                    + Self.binding.replacing("SYMBOL", with: "nightly"),
                "operator/feed.yaml"
            )
            let contents = workshop.load()
            #expect(contents.entries.count == 1)
            #expect(contents.directories.isSuperset(of: [workshop.path("elsewhere"), workshop.path("real")]))
        }
    }
}

extension Workshop {
    /// The bytes of a library that has only the bound function, without a note and an entry function.
    fileprivate func functions() throws -> [UInt8] {
        try compiled("void nightly(int *flag) { (void)flag; }")
    }
}
