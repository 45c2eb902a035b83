// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The machine's power supplies, and whether it is on external power.
struct PowerReading: Equatable {
    struct Supply: Equatable {
        let name: String
        /// Type as reported by the kernel, such as `Mains`, `USB`, `Battery` or `UPS`.
        let type: String
        /// Whether the kernel reports the supply as online, and the supply feeds the machine. Used for external
        /// supplies only.
        var isOnline = false
        /// Remaining charge of a battery in percent; nil when the kernel does not report it.
        var capacity: Int?
        /// Remaining and full charge of a battery; nil when the kernel does not report them.
        var store: Store?
        /// State of a battery: `Discharging`, `Charging`, `Not charging`, `Full` or `Unknown`. Empty when the kernel
        /// reports none.
        var status = ""

        var isBattery: Bool { type == "Battery" || type == "UPS" }
    }

    struct Store: Equatable {
        /// Unit of the charge: `energy` in microwatt hours, or `charge` in microampere hours.
        let unit: String
        let now: Int
        let full: Int
    }

    /// Supplies of the machine itself, without the supplies of its devices, such as a mouse's battery.
    let supplies: [Supply]

    private var batteries: [Supply] { supplies.filter(\.isBattery) }
    private var lines: [Supply] { supplies.filter { !$0.isBattery } }

    /// Whether the machine is on external power. True without a battery (C16). With batteries and external supplies,
    /// true when at least one external supply is online. With batteries alone, true when each battery is charging, not
    /// charging or full.
    var isOnExternalPower: Bool {
        if batteries.isEmpty || lines.contains(where: \.isOnline) { return true }
        return lines.isEmpty && batteries.allSatisfy { ["Charging", "Not charging", "Full"].contains($0.status) }
    }

    /// Remaining share of the batteries' charge, from 0 to 1. It is weighted by size when all batteries report charge
    /// in one unit; otherwise it is the mean of their percentages. Nil without a battery, and when no battery reports a
    /// charge. A UPS does not count.
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
    /// Reads the power supplies in a directory.
    ///
    /// - Parameter directory: `/sys/class/power_supply`. The directory is missing when the kernel supports no power
    ///   supplies.
    init(directory: String) throws(SystemError) {
        var supplies: [Supply] = []
        for name in try SystemFile.names(in: directory) {
            let path = "\(directory)/\(name)"
            // A supply without a type is being removed.
            guard let type = SystemFile.line("\(path)/type") else { continue }
            if SystemFile.line("\(path)/scope") == "Device" { continue }
            // The slot of a second battery is empty.
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

    /// Whether the USB-C ports in a directory give power to the attached device instead of taking power from it. The
    /// kernel reports the supply of such a port as online, too. For a port with several roles the kernel marks the
    /// present role with brackets: `source [sink]` takes power.
    private static func gives(_ ports: String) -> Bool {
        let names = (try? SystemFile.names(in: ports)) ?? []
        let roles = names.compactMap { SystemFile.line("\(ports)/\($0)/power_role") }
        return !roles.isEmpty && !roles.contains { $0.contains("[sink]") || !$0.contains("[") }
    }
}
