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
        /// Percent that are left, of batteries; nil when the kernel gives none.
        var capacity: Int?
        /// What is left and what fits, of batteries; nil when the kernel gives none.
        var store: Store?
        /// Of batteries: `Discharging`, `Charging`, `Not charging`, `Full` or `Unknown`.
        var status = ""

        var isBattery: Bool { type == "Battery" || type == "UPS" }
    }

    struct Store: Equatable {
        /// `energy` in microwatt hours, or `charge` in microampere hours.
        let unit: String
        let now: Int
        let full: Int
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

    /// Share of the batteries' energy that is left, from 0 to 1: weighted by size when all give theirs in one unit, else the
    /// mean of their percentages. Nil without a battery, and when none gives any.
    var charge: Double? {
        let batteries = supplies.filter { $0.type == "Battery" }
        let stores = batteries.compactMap(\.store)
        if !stores.isEmpty, stores.count == batteries.count, Set(stores.map(\.unit)).count == 1 {
            let full = stores.reduce(0.0) { $0 + Double($1.full) }
            return min(1, stores.reduce(0.0) { $0 + Double($1.now) } / full)
        }
        let percents = batteries.compactMap(\.capacity)
        return percents.isEmpty ? nil : Double(percents.reduce(0, +)) / Double(percents.count) / 100
    }

    var words: String { source + (charge.map { ", batteries at \(Int(($0 * 100).rounded())) %" } ?? "") }

    private var source: String {
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
                    capacity: SystemFile.number("\(path)/capacity").flatMap { (0...100).contains($0) ? $0 : nil },
                    store: Self.store(path),
                    status: SystemFile.line("\(path)/status") ?? ""
                )
            )
        }
        self.supplies = supplies
    }

    private static func store(_ supply: String) -> PowerReading.Store? {
        for unit in ["energy", "charge"] {
            guard let now = SystemFile.number("\(supply)/\(unit)_now"), now >= 0,
                let full = SystemFile.number("\(supply)/\(unit)_full"), full > 0
            else { continue }
            return PowerReading.Store(unit: unit, now: now, full: full)
        }
        return nil
    }

    /// A port can feed what is plugged into it as well, and is online then, too. One of those that can tell
    /// `source [sink]` takes.
    private static func gives(_ ports: String) -> Bool {
        let names = (try? SystemFile.names(in: ports)) ?? []
        let roles = names.compactMap { SystemFile.line("\(ports)/\($0)/power_role") }
        return !roles.isEmpty && !roles.contains { $0.contains("[sink]") || !$0.contains("[") }
    }
}
