// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
package import Scheduling
import TaskModel

/// Reads the rules of time zones from the files of tzdata.
package struct TimeZoneDatabase: Sendable {
    /// Directory with a file for each time zone.
    package var directory = "/usr/share/zoneinfo"
    /// Path of the file with the machine's zone, or of a link to it.
    package var localtime = "/etc/localtime"
    /// Value of the environment variable TZ, which overrides `localtime`; nil when it is not set.
    package var variable: String?

    package init(variable: String? = nil) { self.variable = variable }

    /// The database of the machine, with TZ from this process's environment.
    package static var system: TimeZoneDatabase {
        TimeZoneDatabase(variable: getenv("TZ").map { String(cString: $0) })
    }

    package func entry(of zone: ScheduleZone) throws(TimeZoneError) -> TimeZoneTable.Entry {
        switch zone {
        case .machine:
            if let variable { return try entry(ofVariable: variable) }
            return try machineEntry()
        case .named(let name): return TimeZoneTable.Entry(name: name, rules: try rules(named: name))
        }
    }

    /// Directories in which a change can mean new rules of the zones: the directories of the zone files, and of the
    /// links to them.
    package func directories(of zones: some Sequence<ScheduleZone>) -> Set<String> {
        let paths = zones.compactMap(path(of:))
        return Set(paths.map(FilePlace.directory) + paths.compactMap(Self.target).map(FilePlace.directory))
    }

    /// The names of the zones in `directory`, sorted, without those in its subdirectories `posix` and `right`.
    package var names: [String] {
        var names: [String] = []
        var open = [""]
        while let prefix = open.popLast() {
            for name in FilePlace.names(in: prefix.isEmpty ? directory : "\(directory)/\(prefix)") {
                let path = prefix.isEmpty ? name : "\(prefix)/\(name)"
                if name.contains(".") || path == "posix" || path == "right" { continue }
                var status = stat()
                guard stat("\(directory)/\(path)", &status) == 0 else { continue }
                if status.st_mode & S_IFMT == S_IFDIR {
                    open.append(path)
                } else if TimeZoneFile.hasMagic(FileBytes.read("\(directory)/\(path)", limit: 4) ?? []) {
                    names.append(path)
                }
            }
        }
        return names.sorted()
    }

    // MARK: The machine's zone

    /// The name of the machine's zone; nil when the zone has no name in `directory`, or cannot be read.
    package var machineName: String? {
        guard let name = try? entry(of: .machine).name else { return nil }
        return Self.isUTC(name) || Self.isName(name) && FilePlace.exists("\(directory)/\(name)") ? name : nil
    }

    private func machineEntry() throws(TimeZoneError) -> TimeZoneTable.Entry {
        let name = Self.target(localtime).flatMap(name(ofPath:)) ?? linkedName
        // A machine without the file has UTC, as in localtime(5); so has one whose link names UTC.
        if !FilePlace.exists(localtime) || name.map(Self.isUTC) == true {
            return TimeZoneTable.Entry(name: name ?? "UTC", rules: .utc)
        }
        return TimeZoneTable.Entry(name: name ?? "local time", rules: try rules(in: localtime))
    }

    /// The zone name in the target of the link `localtime`, even if the target does not exist; nil when there is no
    /// link, or its target names no zone.
    private var linkedName: String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes { bytes in
            bytes.baseAddress.map { readlink(localtime, $0, bytes.count) } ?? -1
        }
        guard count > 0 else { return nil }
        let path = String(decoding: buffer.prefix(count), as: UTF8.self)
        return name(ofPath: path.hasPrefix("/") ? path : "\(FilePlace.directory(of: localtime))/\(path)")
    }

    private func name(ofPath path: String) -> String? {
        for marker in [directory + "/", "/zoneinfo/"] {
            guard let range = path.firstRange(of: marker) else { continue }
            return String(path[range.upperBound...])
        }
        return nil
    }

    /// The zone that a value of TZ denotes, read as by the C library: the name of a file, an absolute path, or a POSIX
    /// rule.
    private func entry(ofVariable value: String) throws(TimeZoneError) -> TimeZoneTable.Entry {
        let name = value.hasPrefix(":") ? String(value.dropFirst()) : value
        if name.isEmpty { return TimeZoneTable.Entry(name: "UTC", rules: .utc) }
        if name.hasPrefix("/") { return TimeZoneTable.Entry(name: name, rules: try rules(in: name)) }
        do {
            return TimeZoneTable.Entry(name: name, rules: try rules(named: name))
        } catch {
            guard let rule = YearlyOffsets(posix: name) else {
                // A damaged or unreadable file has a message of its own, and so has a missing database.
                if !FilePlace.exists(directory) { throw error }
                if Self.isName(name), FilePlace.exists("\(directory)/\(name)") { throw error }
                throw TimeZoneError(
                    "the environment variable TZ is \(value.inQuotes), which is neither a time zone in \(directory)"
                        + " nor a POSIX rule",
                    remedy: "correct TZ in the environment of the host and restart the host: \(error.remedy)"
                )
            }
            return TimeZoneTable.Entry(name: name, rules: TimeZoneRules(rule))
        }
    }

    // MARK: Files

    private func path(of zone: ScheduleZone) -> String? {
        switch zone {
        case .named(let name): return "\(directory)/\(name)"
        case .machine:
            guard let variable else { return localtime }
            let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
            return name.hasPrefix("/") ? name : Self.isName(name) ? "\(directory)/\(name)" : nil
        }
    }

    private func rules(named name: String) throws(TimeZoneError) -> TimeZoneRules {
        if Self.isUTC(name) { return .utc }
        guard FilePlace.exists(directory) else {
            throw TimeZoneError(
                "the time zone database \(directory) does not exist",
                remedy: "install the package tzdata"
            )
        }
        let path = "\(directory)/\(name)"
        guard Self.isName(name), FilePlace.exists(path) else {
            let nearest = NearestWord.to(name, among: names)
            let remedy = nearest.map { "write \"\($0)\"" } ?? "write a name such as Europe/Berlin or UTC"
            throw TimeZoneError("is \(name.inQuotes), which is not a time zone in \(directory)", remedy: remedy)
        }
        return try rules(in: path)
    }

    private func rules(in path: String) throws(TimeZoneError) -> TimeZoneRules {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileBytes.contents(of: path, limit: TimeZoneFile.sizeLimit)
        } catch {
            throw TimeZoneError(
                "the time zone file \(path) cannot be read: \(error.meaning)",
                remedy: "make the file readable for the host's user, install the package tzdata again, or choose"
                    + " another time zone"
            )
        }
        do {
            return try TimeZoneFile(bytes).rules
        } catch {
            if let remedy = error.remedy {
                throw TimeZoneError("the time zone file \(path) \(error.message)", remedy: remedy)
            }
            throw TimeZoneError("the time zone file \(path) \(error.message)")
        }
    }

    /// Whether a string is a valid zone name: letters, digits and a few signs, without parts that lead out of the
    /// directory.
    private static func isName(_ name: String) -> Bool {
        let signs = Set("+-_/".utf8)
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf) || signs.contains(byte)
        }
        return isPlain && name.utf8.count <= 255 && !name.hasPrefix("/") && !name.hasSuffix("/")
    }

    /// Whether the name denotes UTC, which is known without a file.
    private static func isUTC(_ name: String) -> Bool { ["UTC", "Etc/UTC", "GMT", "Etc/GMT"].contains(name) }

    /// The path with all symbolic links resolved; nil when it leads to no file.
    private static func target(_ path: String) -> String? {
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return String(cString: target)
    }
}

/// The reason why the rules of a time zone are not known.
package struct TimeZoneError: Error, Hashable, CustomStringConvertible {
    /// The time zone or its file, and the rule that it violates.
    let problem: String
    let remedy: String

    package var description: String { "\(problem); \(remedy)" }

    init(_ problem: String, remedy: String = "install the package tzdata again, or choose another time zone") {
        self.problem = problem
        self.remedy = remedy
    }
}
