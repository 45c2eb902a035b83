// Part of bgtask, under the Apache License 2.0; see LICENSE.

internal import LocatedYAML
internal import TaskModel

/// The grants of a manifest as read from the file. Their types are checked, but not their rules. A grant whose key is
/// missing or whose value was reported as invalid is false, empty or nil.
struct GrantsDraft {
    struct Setting {
        let key: Field<String>?
        let access: Grants.Setting.Access?
    }

    var network = false
    var connect: [Field<String>] = []
    var listen: [Field<String>] = []
    var unix: [Field<String>] = []
    var gpu = false
    /// The grant of health research requests, with its position.
    var healthResearch: Field<Bool>?
    var processes = false
    var read: [Field<String>] = []
    var write: [Field<String>] = []
    var execute: [Field<String>] = []
    var settings: [Setting] = []
}

extension GrantsDraft {
    init(_ grants: DiagnosingMapping) {
        // true for the whole network, or a mapping with ports.
        let ports: (connect: [Field<String>], listen: [Field<String>])?
        if case .mapping? = grants.node(.grantsNetwork)?.value.content {
            network = false
            ports = grants.mapping(.grantsNetwork) { network in
                (
                    network.strings(.grantsNetworkConnect)?.value ?? [],
                    network.strings(.grantsNetworkListen)?.value ?? []
                )
            }
        } else {
            let example = "{ connect: [443] } to grant single ports"
            network = grants.boolean(ManifestKey.grantsNetwork.name, or: example)?.value ?? false
            ports = nil
        }
        connect = ports?.connect ?? []
        listen = ports?.listen ?? []
        unix = grants.strings(.grantsUnix)?.value ?? []
        gpu = grants.boolean(.grantsGPU)?.value ?? false
        healthResearch = grants.boolean(.grantsHealthResearch)
        processes = grants.boolean(.grantsProcesses)?.value ?? false
        read = grants.strings(.grantsRead)?.value ?? []
        write = grants.strings(.grantsWrite)?.value ?? []
        execute = grants.strings(.grantsExecute)?.value ?? []
        settings =
            grants.mappings(inList: ManifestKey.grantsSettings.name) { setting in
                setting.requirePresence(
                    of: "setting",
                    remedy: "write the key of the setting whose value is the path to grant"
                )
                setting.requirePresence(of: "access", remedy: "write access: read or access: write")
                return Setting(
                    key: setting.string("setting"),
                    access: setting.choice("access", of: Grants.Setting.Access.self)?.value
                )
            }?.value ?? []
    }
}
