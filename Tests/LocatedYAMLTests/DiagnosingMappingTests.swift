// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LocatedYAML
import Testing

@Suite("A YAML file is read by types, and each value of another type is reported as a problem")
struct DiagnosingMappingTests {
    private func decode<Value>(
        _ text: String,
        _ read: (DiagnosingMapping) -> Value
    ) -> (value: Value?, problems: [String]) {
        let document = YAMLDocument.decode(bytes: Array(text.utf8), file: "host.yaml", read)
        return (document.value, document.problems.map(\.short))
    }

    @Test(arguments: [
        ("500ms", Duration.milliseconds(500)), ("30s", .seconds(30)), ("10min", .seconds(600)), ("2h", .seconds(7200)),
        ("1d", .seconds(86_400)), ("0s", .zero), ("30 s", .seconds(30)), ("\"30s\"", .seconds(30)),
        ("1h30min", .seconds(5400)), ("1min 30s", .seconds(90)), ("15m", .seconds(900)), ("1h30m", .seconds(5400)),
        ("1.5h", .seconds(5400)), ("1.5s", .milliseconds(1500)), ("2 hours 5 minutes", .seconds(7500)),
        ("90sec", .seconds(90)), ("250msec", .milliseconds(250)), ("2days", .seconds(172_800)),
    ])
    func `a duration is read in the notations of systemd and of Go`(text: String, duration: Duration) {
        let (value, problems) = decode("grace: \(text)") { $0.duration("grace")?.value }
        #expect(value == duration)
        #expect(problems.isEmpty)
    }

    @Test(arguments: [
        "30", "s", "1.0005s", "10M", "10us", "1min30", "[1s]", "", "~", "1e3s", "٣s",
    ])
    func `a value without whole milliseconds and known units is refused as a duration`(text: String) {
        let (value, problems) = decode("grace: \(text)") { $0.duration("grace")?.value }
        #expect(value == .some(nil))
        #expect(problems == ["1 grace wrong-type"])
    }

    @Test(
        arguments: [("512B", 512), ("64KiB", 65_536), ("256MiB", 268_435_456), ("2GiB", 2_147_483_648)]
            as [(String, Int64)]
    )
    func `a size is read from a whole number and a binary unit`(text: String, bytes: Int64) {
        #expect(decode("memory: \(text)") { $0.byteSize("memory")?.value }.value == bytes)
    }

    @Test(arguments: ["256", "256MB", "256M", "1.5GiB", "{}"])
    func `a value without a whole number and a binary unit is refused as a size`(text: String) {
        #expect(decode("memory: \(text)") { $0.byteSize("memory")?.value }.problems == ["1 memory wrong-type"])
    }

    /// Each argument is a value with the expected message and remedy, for a key with a duration from 500ms to 2h.
    @Test(arguments: [
        (
            "30",
            "is \"30\", which has no unit; a duration from 500ms to 2h is required; "
                + "add one of the units ms, s, min, h, d, such as 30s"
        ),
        (
            "10M",
            "is \"10M\", whose unit \"M\" is not one of ms, s, min, h, d; "
                + "a duration from 500ms to 2h is required; write 10min"
        ),
        (
            "4 fortnights",
            "is \"4 fortnights\", whose unit \"fortnights\" is not one of ms, s, min, h, d; "
                + "a duration from 500ms to 2h is required; "
                + "write a whole number and one of the units ms, s, min, h, d, such as 30s"
        ),
        ("3.5h", "is 3.5h, which is not between 500ms and 2h; write a value in that range"),
        (
            "0.0001s",
            "is \"0.0001s\", which has a fraction; a duration from 500ms to 2h is required; "
                + "write a whole number in a smaller unit"
        ),
        (
            "1min30",
            "is \"1min30\", which has no unit; a duration from 500ms to 2h is required; "
                + "add one of the units ms, s, min, h, d, such as 30s"
        ),
        (
            "1h30MIN",
            "is \"1h30MIN\", whose unit \"MIN\" is not one of ms, s, min, h, d; "
                + "a duration from 500ms to 2h is required; write 1h30min"
        ),
        (
            "soon",
            "is \"soon\", not a duration from 500ms to 2h; "
                + "write a whole number and one of the units ms, s, min, h, d, such as 30s"
        ),
        (
            "[1s]",
            "is a list, not a duration from 500ms to 2h; "
                + "write a whole number and one of the units ms, s, min, h, d, such as 30s"
        ),
        ("-5s", "is -5s, which is not between 500ms and 2h; write a value in that range"),
        (
            "9223372036854775807d",
            "is 9223372036854775807d, which is not between 500ms and 2h; "
                + "write a value in that range"
        ),
        (
            "99999999999999999999s",
            "is 99999999999999999999s, which is not between 500ms and 2h; "
                + "write a value in that range"
        ),
    ])
    func `the message for an invalid duration contains its value, the rule, the range and the remedy`(
        text: String,
        reported: String
    ) {
        let document = YAMLDocument.decode(bytes: Array("grace: \(text)".utf8), file: "f") { root in
            root.duration("grace", in: .milliseconds(500) ... .seconds(7200))
        }
        #expect(document.problems.map(\.description) == ["f:1:8: grace: \(reported)"])
    }

    @Test func `the message for an invalid size contains sizes in binary units and the remedy`() {
        let text = "a: 256MB\nb: 1.5GiB\nc: 9999999999TiB\nd: -1B"
        let document = YAMLDocument.decode(bytes: Array(text.utf8), file: "f") { root in
            for key in ["a", "b"] { _ = root.byteSize(key, in: (1 << 20)...(1 << 30)) }
            for key in ["c", "d"] { _ = root.byteSize(key) }
        }
        #expect(
            document.problems.map(\.description) == [
                "f:1:4: a: is \"256MB\", whose unit \"MB\" is not one of B, KiB, MiB, GiB, TiB; "
                    + "a size from 1MiB to 1GiB is required; write 256MiB",
                "f:2:4: b: is \"1.5GiB\", which has a fraction; a size from 1MiB to 1GiB is required; write 1536MiB",
                "f:3:4: c: is 9999999999TiB, which is not between 0B and 9223372036854775807B; "
                    + "write a value in that range",
                "f:4:4: d: is -1B, which is not between 0B and 9223372036854775807B; write a value in that range",
            ]
        )
    }

    @Test(arguments: [
        ("-1", "is -1, which is not between 1 and 10; write a value in that range"),
        ("99999999999999999999", "is 99999999999999999999, which is not between 1 and 10; write a value in that range"),
        ("1.5", "is \"1.5\", not a whole number from 1 to 10; write only digits, without quotes"),
        ("'5'", "is \"5\", not a whole number from 1 to 10; write only digits, without quotes"),
        ("5s", "is \"5s\", not a whole number from 1 to 10; write only digits, without quotes"),
        ("{}", "is a mapping, not a whole number from 1 to 10; write only digits, without quotes"),
    ])
    func `the message for an invalid whole number contains its value, the range and the remedy`(
        text: String,
        reported: String
    ) {
        let document = YAMLDocument.decode(bytes: Array("count: \(text)".utf8), file: "f") { root in
            root.integer("count", in: 1...10)
        }
        #expect(document.problems.map(\.description) == ["f:1:8: count: \(reported)"])
    }

    @Test func `values from the command line are read and reported by the same rules as those of a file`() {
        let values = [
            ("grace", "later"), ("limits.refresh", "2"), ("limits.event", "many"), ("name", "null"), ("to", ""),
        ]
        let document = YAMLDocument.decode(values: values, source: "command line") { root in
            _ = (root.duration("grace"), root.string("to"))
            let limits = root.mapping("limits") { ($0.integer("refresh")?.value, $0.integer("event")?.value) }
            return [limits?.0.map { "\($0)" }, limits?.1.map { "\($0)" }, root.string("name")?.value]
        }
        #expect(document.value == ["2", nil, "null"])
        #expect(
            document.problems.map(\.short) == [
                "- grace wrong-type", "- to wrong-type", "- limits.event wrong-type",
            ]
        )
    }

    @Test func `the message for a value out of range contains value and range with readable units`() {
        let text = "grace: 2h\nmemory: 1KiB\ncount: 11"
        let document = YAMLDocument.decode(bytes: Array(text.utf8), file: "host.yaml") { root in
            _ = root.duration("grace", in: .milliseconds(500) ... .seconds(60))
            _ = root.byteSize("memory", in: (1 << 20)...(1 << 30))
            _ = root.integer("count", in: 1...10)
        }
        #expect(
            document.problems.map(\.description) == [
                "host.yaml:1:8: grace: is 2h, which is not between 500ms and 1min; write a value in that range",
                "host.yaml:2:9: memory: is 1KiB, which is not between 1MiB and 1GiB; write a value in that range",
                "host.yaml:3:8: count: is 11, which is not between 1 and 10; write a value in that range",
            ]
        )
    }

    @Test func `quoted numbers and booleans are strings, and a YAML 1.1 yes is not a boolean`() {
        let (_, problems) = decode("a: \"1\"\nb: 'true'\nc: yes\nd: 0x10\ne: 1") { root in
            _ = (root.integer("a"), root.boolean("b"), root.boolean("c"), root.integer("d"), root.string("e"))
        }
        #expect(problems == ["1 a wrong-type", "2 b wrong-type", "3 c wrong-type", "4 d wrong-type"])
        let quoted = YAMLDocument.decode(bytes: Array("b: 'true'".utf8), file: "host.yaml") { $0.boolean("b") }
        #expect(quoted.problems.first?.remedy == "write true or false, without quotes")
    }

    @Test func `a null value is refused as a string and reported at its key`() {
        let (_, problems) = decode("a:\nb: ~\nc: null\nd: \"\"") { root in
            _ = ["a", "b", "c", "d"].map { root.string($0) }
        }
        #expect(problems == ["1 a wrong-type", "2 b wrong-type", "3 c wrong-type"])
    }

    @Test func `nested mappings are read in the order of the file, with full paths in their problems`() {
        let text = """
            plugins:
              com.example.b: { enabled: no }
              com.example.a:
                enabled: true
                budgets: { refresh: 5 }
              com.example.c: 3
            """
        let (value, problems) = decode(text) { root in
            root.mappings("plugins") { key, plugin in
                _ = plugin.mapping("budgets") { $0.duration("refresh") }
                return (key.value, plugin.boolean("enabled")?.value)
            }
        }
        #expect(value?.map(\.0) == ["com.example.b", "com.example.a"])
        #expect(value?.map(\.1) == [nil, true])
        #expect(
            problems == [
                "2 plugins.com.example.b.enabled wrong-type", "5 plugins.com.example.a.budgets.refresh wrong-type",
                "6 plugins.com.example.c wrong-type",
            ]
        )
    }

    @Test func `a problem reported by a caller's own rule has location, message and remedy`() {
        let document = YAMLDocument.decode(bytes: Array("state: here".utf8), file: "host.yaml") { root in
            if let state = root.string("state"), !state.value.hasPrefix("/") {
                root.problems.report(
                    "absolute-path",
                    at: state,
                    "is \"here\", not an absolute path",
                    remedy: "begin with /"
                )
            }
        }
        #expect(
            document.errors.map(\.description) == [
                "host.yaml:1:8: state: is \"here\", not an absolute path; begin with /"
            ]
        )
        #expect(document.errors.first?.rule.rawValue == "absolute-path")
    }

    @Test func `a missing required key is reported by its name`() {
        let (_, problems) = decode("a: 1") {
            $0.requirePresence(of: "b", remedy: "write b"); _ = $0.integer("a")
        }
        #expect(problems == ["1 b missing-key"])
    }

    @Test func `the remedy for a device in place of a YAML file names another file, and does not remove the device`() {
        let document = YAMLDocument.decode(path: "/dev/null") { _ in true }
        #expect(document.problems.map(\.message) == ["is a device"])
        #expect(document.problems.map(\.remedy) == ["name a regular file instead, such as an empty one"])
    }

    @Test func `a missing YAML file is reported as unreadable`() {
        let document = YAMLDocument.decode(path: "/nowhere/host.yaml") { _ in true }
        #expect(document.value == nil)
        #expect(document.problems.map(\.short) == ["- - unreadable"])
    }
}

extension DocumentProblem {
    /// The line, the key and the rule of the problem.
    fileprivate var short: String { "\(line.map(String.init) ?? "-") \(key ?? "-") \(rule.rawValue)" }
}
