// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// What the machine's power supplies say. Judges; reads nothing.
struct PowerReading: Equatable {
    struct Supply: Equatable {
        let name: String
        /// As the kernel names it: `Mains`, `USB`, `Battery`, `UPS`.
        let type: String
        /// Of supplies that feed the machine from outside.
        var isOnline = false
        /// Of batteries: `Discharging`, `Charging`, `Not charging`, `Full` or `Unknown`.
        var status = ""

        var isBattery: Bool { type == "Battery" || type == "UPS" }
    }

    /// Of the machine itself: a mouse's battery is not among them.
    let supplies: [Supply]

    private var batteries: [Supply] { supplies.filter(\.isBattery) }
    private var lines: [Supply] { supplies.filter { !$0.isBattery } }

    /// A machine without a battery is (C16). One with both says it by its lines; one that shows a battery alone, by
    /// whether that is known not to be used up.
    var isOnExternalPower: Bool {
        if batteries.isEmpty || lines.contains(where: \.isOnline) { return true }
        return lines.isEmpty && batteries.allSatisfy { ["Charging", "Not charging", "Full"].contains($0.status) }
    }

    var words: String {
        if batteries.isEmpty { return "no battery" }
        if let line = lines.first(where: \.isOnline) { return "\(line.name) is online" }
        if !lines.isEmpty { return lines.map(\.name).joined(separator: ", ") + " offline" }
        return batteries.map { "\($0.name) \($0.status.isEmpty ? "unknown" : $0.status.lowercased())" }
            .joined(separator: ", ")
    }
}

extension PowerReading {
    /// - Parameter folder: `/sys/class/power_supply`. A kernel that knows no power supplies has none.
    init(folder: String) throws(SystemError) {
        var supplies: [Supply] = []
        for name in try SystemFile.names(in: folder) {
            let path = "\(folder)/\(name)"
            // Without a type it is being taken away just now.
            guard let type = SystemFile.line("\(path)/type") else { continue }
            if SystemFile.line("\(path)/scope") == "Device" { continue }
            // An empty slot for a second battery.
            if SystemFile.line("\(path)/present") == "0" { continue }
            supplies.append(
                Supply(
                    name: name,
                    type: type,
                    isOnline: (SystemFile.number("\(path)/online") ?? 0) > 0 && !Self.gives("\(path)/device/typec"),
                    status: SystemFile.line("\(path)/status") ?? ""
                )
            )
        }
        self.supplies = supplies
    }

    /// A port can feed what is plugged into it as well, and is online then, too. One of those that can tell
    /// `source [sink]` takes.
    private static func gives(_ ports: String) -> Bool {
        let names = (try? SystemFile.names(in: ports)) ?? []
        let roles = names.compactMap { SystemFile.line("\(ports)/\($0)/power_role") }
        return !roles.isEmpty && !roles.contains { $0.contains("[sink]") || !$0.contains("[") }
    }
}
