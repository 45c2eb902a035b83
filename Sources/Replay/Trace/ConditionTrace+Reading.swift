// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML
import TaskModel

// Reading of the trace file. Problems are reported like those of a manifest: line, key, defect, remedy.
extension ConditionTrace {
    package static func decode(path: String) -> DecodedDocument<ConditionTrace> {
        YAMLDocument.decode(path: path) { read($0) }
    }

    /// Decodes a trace from YAML.
    ///
    /// - Parameter file: name of the file in messages.
    package static func decode(text: String, file: String = "trace.yaml") -> DecodedDocument<ConditionTrace> {
        YAMLDocument.decode(bytes: Array(text.utf8), file: file) { read($0) }
    }

    private static func read(_ mapping: DiagnosingMapping) -> ConditionTrace {
        var trace = ConditionTrace()
        mapping.requirePresence(of: "trace", remedy: "write trace: 1, the version of this format")
        _ = mapping.integer("trace", in: 1...1)
        if let name = mapping.string("name") { trace.name = name.value }
        if let jitter = mapping.duration("jitter", in: .zero ... .seconds(4 * 60 * 60)) { trace.jitter = jitter.value }
        _ = mapping.mapping("conditions") { conditions in
            for condition in Condition.all where condition.row.replay != .untraced {
                if let holds = conditions.boolean(condition.name) {
                    trace.courses[condition] = holds.value ? .always : .never
                }
            }
        }
        _ = mapping.mapping("spans") { spans in
            for condition in Condition.all where condition.row.replay != .untraced {
                guard let list = spans.strings(condition.name) else { continue }
                if trace.courses[condition] != nil {
                    mapping.problems.report(
                        .repeatedValue,
                        at: list,
                        "is also set under conditions, for the whole time of the trace",
                        remedy: "leave it out of conditions"
                    )
                }
                trace.courses[condition] = .during(weekSpans(list.value, mapping.problems))
            }
        }
        if let list = mapping.strings("suspended") { trace.suspended = weekSpans(list.value, mapping.problems) }
        _ = mapping.mapping("use") { use in
            use.requirePresence(of: "active", remedy: "write active: [\"\(WeekSpan.example)\"], the times of use")
            if let list = use.strings("active") { trace.use.active = weekSpans(list.value, mapping.problems) }
            trace.use.triggers = use.integer("triggers", in: 0...10_000)?.value ?? 0
            trace.use.launches = use.integer("launches", in: 0...10_000)?.value ?? 0
            trace.use.continued = use.integer("continued", in: 0...10_000)?.value ?? 0
        }
        return trace
    }

    private static func weekSpans(_ list: [Field<String>], _ problems: ProblemCollector) -> [WeekSpan] {
        list.compactMap { field in
            if let span = WeekSpan(field.value) { return span }
            problems.report(
                .wrongValue,
                at: field,
                "is \(field.value.inQuotes), which is not a weekly range of times",
                remedy: "write the days and two times of four digits, such as \"\(WeekSpan.example)\";"
                    + " omit the days for every day"
            )
            return nil
        }
    }
}
