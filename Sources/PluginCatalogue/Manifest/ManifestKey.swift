// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// Every key of a manifest, by its path, except the keys within one setting. The YAML reader takes its keys from this
/// enum, and the installation prompt switches over them, so that no key is read without being shown to the operator.
package enum ManifestKey: String, Hashable, Sendable, CaseIterable {
    case manifest
    case requires
    case identifier
    case name
    case version
    case role
    case containingPlugin = "containing-plugin"
    case extensionPoint = "extension-point"
    case library
    case sha256
    case files
    case mainBundle = "main-bundle"
    case backgroundModes = "background-modes"
    case permittedIdentifiers = "permitted-identifiers"
    case handlers
    case handlersIdentifier = "handlers.identifier"
    case handlersSymbol = "handlers.symbol"
    case handlersArguments = "handlers.arguments"
    case handlersReturns = "handlers.returns"
    case retry
    case retryAttempts = "retry.attempts"
    case retryDelay = "retry.delay"
    case retryBackoff = "retry.backoff"
    case retryJitter = "retry.jitter"
    case extensions
    case grants
    case grantsNetwork = "grants.network"
    case grantsNetworkConnect = "grants.network.connect"
    case grantsNetworkListen = "grants.network.listen"
    case grantsUnix = "grants.unix"
    case grantsGPU = "grants.gpu"
    case grantsHealthResearch = "grants.health-research"
    case grantsProcesses = "grants.processes"
    case grantsRead = "grants.read"
    case grantsWrite = "grants.write"
    case grantsExecute = "grants.execute"
    case grantsSettings = "grants.settings"
    case limits
    case limitsMemory = "limits.memory"
    case limitsProcesses = "limits.processes"
    case limitsFileSize = "limits.file-size"
    case settings

    /// Name of the key within its mapping: the last part of the path.
    package var name: String { rawValue.split(separator: ".").last.map(String.init) ?? rawValue }
}

// Reads by manifest key.
extension DiagnosingMapping {
    func presence(of key: ManifestKey) -> Field<Void>? { presence(of: key.name) }
    func requirePresence(of key: ManifestKey, remedy: String) { requirePresence(of: key.name, remedy: remedy) }
    func string(_ key: ManifestKey) -> Field<String>? { string(key.name) }
    func boolean(_ key: ManifestKey) -> Field<Bool>? { boolean(key.name) }
    func integer(_ key: ManifestKey) -> Field<Int>? { integer(key.name) }
    func strings(_ key: ManifestKey) -> Field<[Field<String>]>? { strings(key.name) }
    func variants(_ key: ManifestKey) -> TextVariants? { variants(key.name) }
    func fieldsOfVariants(_ key: ManifestKey) -> Field<[(name: Field<String>, value: TextVariants)]>? {
        fieldsOfVariants(key.name)
    }

    /// Reads the settings: the default value of each key, or nil for a secret setting. Invalid values are reported and
    /// omitted.
    func settings(_ key: ManifestKey) -> [(key: String, value: String?)] {
        fieldsOrMappings(key.name) { mapping -> Bool in
            let secret = mapping.boolean("secret")
            if let secret, secret.value { return true }
            if mapping.presence(of: "secret") != nil, secret == nil { return false }
            mapping.problems.report(
                .wrongValue,
                key: mapping.path,
                position: mapping.position,
                "is a mapping without secret: true",
                remedy: "write { secret: true } for a secret, or the default value as a text"
            )
            return false
        }.compactMap { name, value in
            switch value {
            case .text(let text): (name.value, text.value)
            case .mapping(true): (name.value, nil)
            case .mapping(false): nil
            }
        }
    }

    /// Reads a boolean, or a mapping of keys of `Info.plist` to values. Nil when the key is missing or false, or its
    /// value was reported as invalid. An unquoted whole number or boolean keeps its type. Other values in the mapping
    /// are reported and omitted.
    func mainBundle(_ key: ManifestKey) -> [String: InfoPropertyList.Value]? {
        guard case .mapping(let entries)? = node(key)?.value.content else {
            return boolean(key.name, or: "a mapping of keys of Info.plist")?.value == true ? [:] : nil
        }
        var values: [String: InfoPropertyList.Value] = [:]
        for entry in entries {
            if let value = InfoPropertyList.Value(entry.value) {
                values[entry.key] = value
            } else {
                problems.report(
                    .wrongType,
                    key: "\(self.key(key.name)).\(entry.key)",
                    position: entry.position,
                    "is neither a text nor a whole number nor a boolean",
                    remedy: "write one of these, or a property list as the manifest"
                )
            }
        }
        return values
    }

    func arguments(_ key: ManifestKey) -> Field<[Field<FunctionArgument>]>? { arguments(key.name) }
    func result(_ key: ManifestKey) -> FunctionResult? { result(key.name) }

    func node(_ key: ManifestKey) -> Field<YAMLNode>? { node(key.name) }
    func mapping<Value>(_ key: ManifestKey, _ read: (DiagnosingMapping) -> Value) -> Value? { mapping(key.name, read) }
}

extension ProblemCollector {
    /// Whether an error was reported for a top-level key of a YAML manifest, or below it.
    func holdsErrors(under key: ManifestKey) -> Bool { holdsErrors(under: key.rawValue) }
}
