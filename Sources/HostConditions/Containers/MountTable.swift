// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem

/// The mounted file systems and the configured mount points, with octal escapes in paths replaced.
struct MountTable: Equatable {
    /// Type of the topmost file system at each mount point.
    let mounted: [String: String]
    /// Configured mount points, with the file that configures each.
    let expected: [String: String]

    /// The first configured mount point from `directory` down to `path` that has no file system; nil when there is
    /// none.
    func missing(from directory: String, to path: String) -> (point: String, file: String)? {
        expected.filter { point, _ in Self.lies(point, below: directory) && Self.lies(path, below: point) }
            .filter { mounted[$0.key] == nil }
            .min { $0.key < $1.key }
            .map { ($0.key, $0.value) }
    }

    /// The first automount point from `directory` down to `path` that is not mounted yet; nil when there is none.
    /// Opening the path would mount it.
    func automatic(from directory: String, to path: String) -> String? {
        mounted.filter { point, type in
            type == "autofs" && Self.lies(point, below: directory) && Self.lies(path, below: point)
        }.keys.min()
    }

    static func lies(_ path: String, below directory: String) -> Bool {
        path == directory || path.hasPrefix(directory == "/" ? directory : directory + "/")
    }

    /// The type of the topmost file system at each mount point, from lines in the order of mounting: `36 35 98:0 /root
    /// /mount/point options - type source options`.
    static func mounted(inInfo text: String) -> [String: String] {
        var mounted: [String: String] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: "-"), dash + 1 < fields.count else {
                continue
            }
            mounted[unescaped(fields[4])] = String(fields[dash + 1])
        }
        return mounted
    }

    /// The mount points in a table with lines `source /mount/point type options dump pass`. Entries for swap have none.
    static func points(inTable text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let fields = line.split(whereSeparator: \.isWhitespace)
            guard fields.count >= 3, !fields[0].hasPrefix("#") else { return nil }
            let point = normalized(unescaped(fields[1]))
            return point.hasPrefix("/") ? point : nil
        }
    }

    /// The mount point that a mount unit of systemd configures: the value of its last `Where=` line; nil without such a
    /// line.
    static func point(inUnit text: String) -> String? {
        let line = text.split(separator: "\n").last { $0.hasPrefix("Where=") }
        return line.map { normalized(String($0.dropFirst("Where=".count))) }
    }

    static func normalized(_ path: String) -> String {
        let parts = path.split(whereSeparator: { $0 == "/" })
        return path.hasPrefix("/") ? "/" + parts.joined(separator: "/") : path
    }

    /// The text with octal escapes replaced. The files of mounts write a space as `\040`.
    static func unescaped(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.first {
            rest = rest.dropFirst()
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, let code = UInt8(String(digits) ?? "", radix: 8) {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension MountTable {
    /// Reads the mounts of the machine.
    ///
    /// - Parameter container: directory of all containers. Configured mount points elsewhere are ignored.
    init(_ roots: SystemRoots, below container: String) throws(SystemError) {
        mounted = Self.mounted(inInfo: try SystemFile.text("\(roots.proc)/self/mountinfo", limit: 1 << 20))
        var expected: [String: String] = [:]
        for unit in Self.units(in: roots.units) {
            // A masked unit is empty.
            guard let point = (try? SystemFile.text(unit)).flatMap(Self.point(inUnit:)) else { continue }
            if Self.lies(point, below: container) { expected[point] = unit }
        }
        for point in Self.points(inTable: (try? SystemFile.text(roots.fileSystemTable, limit: 1 << 20)) ?? "") {
            if Self.lies(point, below: container) { expected[point] = roots.fileSystemTable }
        }
        self.expected = expected
    }

    /// Paths of the mount units in force. When several directories contain a unit of the same name, the first
    /// directory's unit is in force.
    private static func units(in directories: [String]) -> [String] {
        var seen: Set<String> = []
        return directories.flatMap { directory in
            ((try? SystemFile.names(in: directory)) ?? []).filter { $0.hasSuffix(".mount") && seen.insert($0).inserted }
                .map { "\(directory)/\($0)" }
        }
    }
}
