// Part of bgtask, under the Apache License 2.0; see LICENSE.

package import LocatedYAML
import TaskModel

// Reading of the population file. Problems are reported like those of a manifest.
extension PluginPopulation {
    package static func decode(path: String) -> DecodedDocument<PluginPopulation> {
        YAMLDocument.decode(path: path) { read($0) }
    }

    /// Decodes a population from YAML.
    ///
    /// - Parameter file: name of the file in messages.
    package static func decode(text: String, file: String = "population.yaml") -> DecodedDocument<PluginPopulation> {
        YAMLDocument.decode(bytes: Array(text.utf8), file: file) { read($0) }
    }

    private static func read(_ mapping: DiagnosingMapping) -> PluginPopulation {
        mapping.requirePresence(of: "population", remedy: "write population: 1, the version of this format")
        _ = mapping.integer("population", in: 1...1)
        mapping.requirePresence(of: "plugins", remedy: "write plugins: { com.example.app: { tasks: { ... } } }")
        var taken: Set<String> = []
        let plugins = mapping.mappings("plugins") { name, plugin in
            let tasks = plugin.mappings("tasks") { task($0, $1, &taken) }.compactMap(\.self)
            let extensions = plugin.mappings("extensions") { woken($0, $1, by: tasks) }.compactMap(\.self)
            let use = plugin.integer("use", in: 0...1_000)?.value ?? 1
            return identifier(name, plugin.problems, PluginIdentifier.init).map {
                ModelPlugin($0, tasks: tasks, extensions: extensions, use: use)
            }
        }
        return PluginPopulation(plugins.compactMap(\.self))
    }

    private static func task(
        _ name: Field<String>,
        _ mapping: DiagnosingMapping,
        _ taken: inout Set<String>
    ) -> ModelTask? {
        let kind = mapping.choice("kind", of: KindWord.self)?.value.kind
        mapping.requirePresence(of: "kind", remedy: "write kind: refresh, processing, health-research or continued")
        let every = mapping.duration("every", in: .seconds(1) ... .seconds(30 * 86_400))
        let needs = needs(mapping)
        let takes = runTimes(mapping)
        let identifier = identifier(name, mapping.problems, TaskIdentifier.init)
        var task = identifier.map { ModelTask($0, kind: kind ?? .refresh, every: every?.value, takes: takes) }
        task?.requiresNetwork = needs.contains(.network)
        task?.requiresExternalPower = needs.contains(.externalPower)
        task?.fails = mapping.integer("fails", in: 0...100)?.value ?? 0
        task?.retry = mapping.mapping("retry") { FailureRetry().overridden(by: $0.failureRetryValues()) }
        task?.crashes = mapping.integer("crashes", in: 0...100)?.value ?? 0
        task?.overruns = mapping.integer("overruns", in: 0...100)?.value ?? 0
        task?.obeys = mapping.boolean("obeys")?.value ?? true
        task?.resubmits = mapping.choice("resubmits", of: ModelTask.Resubmission.self)?.value ?? .atStart
        if let task, task.fails + task.crashes + task.overruns > 100 {
            mapping.problems.report(
                .wrongValue,
                at: name,
                "fails, crashes and overruns are \(task.fails + task.crashes + task.overruns) percent together",
                remedy: "lower them to at most 100 together"
            )
        }
        if !taken.insert(name.value).inserted {
            mapping.problems.report(
                .repeatedValue,
                at: name,
                "is already a task of another plugin",
                remedy: "give each task an identifier of its own"
            )
        }
        return task
    }

    private static func woken(
        _ name: Field<String>,
        _ mapping: DiagnosingMapping,
        by tasks: [ModelTask]
    ) -> ModelExtension? {
        let takes = runTimes(mapping)
        let submits = mapping.string("submits")
        if let submits, !tasks.contains(where: { $0.identifier.text == submits.value }) {
            mapping.problems.report(
                .wrongValue,
                at: submits,
                "is \(submits.value.inQuotes), which is not a task of this plugin",
                remedy: tasks.isEmpty
                    ? "add this task to the tasks of the plugin"
                    : NearestWord.remedy(for: submits.value, among: tasks.map(\.identifier.text))
            )
        }
        return identifier(name, mapping.problems, PluginIdentifier.init).map {
            ModelExtension($0, takes: takes, submits: (submits?.value).flatMap { TaskIdentifier($0) })
        }
    }

    private static func runTimes(_ mapping: DiagnosingMapping) -> RunTimes {
        mapping.requirePresence(of: "takes", remedy: "write takes: { least: 1s, typical: 4s, most: 20s }")
        let range: ClosedRange<Duration> = .zero ... .seconds(7 * 86_400)
        return mapping.mapping("takes") { takes in
            takes.requirePresence(of: "typical", remedy: "write typical: 4s")
            let stated = takes.duration("typical", in: range)?.value
            let typical = stated ?? .zero
            let least = takes.duration("least", in: range)
            let most = takes.duration("most", in: range)
            for (field, isInOrder) in [(least, { $0 <= typical }), (most, { $0 >= typical })]
                as [(Field<Duration>?, (Duration) -> Bool)]
            {
                guard stated != nil, let field, !isInOrder(field.value) else { continue }
                takes.problems.report(
                    .wrongValue,
                    at: field,
                    "is \(field.value.humanReadable), which contradicts the typical \(typical.humanReadable)",
                    remedy: "write least, typical and most in rising order"
                )
            }
            return .shaped(least: least?.value ?? typical, typical: typical, most: most?.value ?? typical)
        } ?? .shaped(least: .zero, typical: .zero, most: .zero)
    }

    private static func needs(_ mapping: DiagnosingMapping) -> Set<Condition> {
        let known: [Condition] = [.network, .externalPower]
        let needs = (mapping.strings("needs")?.value ?? []).compactMap { field -> Condition? in
            if let need = known.first(where: { $0.name == field.value }) { return need }
            mapping.problems.report(
                .wrongValue,
                at: field,
                "is \(field.value.inQuotes), which is not a requirement of a request",
                remedy: NearestWord.remedy(for: field.value, among: known.map(\.name))
            )
            return nil
        }
        return Set(needs)
    }

    private static func identifier<Identifier>(
        _ name: Field<String>,
        _ problems: ProblemCollector,
        _ make: (String) -> Identifier?
    ) -> Identifier? {
        if let identifier = make(name.value) { return identifier }
        problems.reportIdentifier(name, isKey: true)
        return nil
    }

    /// The kinds of task that a population can contain: all kinds that can be submitted.
    private enum KindWord: String, CaseIterable {
        case refresh, processing, continued
        case healthResearch = "health-research"

        var kind: TaskKind? { TaskKind(name: rawValue) }
    }
}
