// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Glibc
import LinuxSystem
import TaskModel

/// The log files of launches on the disk: `PLUGIN/LAUNCH.log` with the newest lines, and `PLUGIN/LAUNCH.earlier.log`
/// with the lines before them. Only the host's user can read them. Every function blocks on the disk.
struct LogFiles: Sendable {
    let directory: String

    func place(of plugin: PluginIdentifier) -> String { "\(directory)/\(plugin)" }

    func current(_ plugin: PluginIdentifier, _ launch: LaunchNumber) -> String {
        "\(place(of: plugin))/\(launch).log"
    }

    func earlier(_ plugin: PluginIdentifier, _ launch: LaunchNumber) -> String {
        "\(place(of: plugin))/\(launch).earlier.log"
    }

    /// Appends bytes to the current file of a launch. After an error the file has the given size, or is missing.
    ///
    /// - Parameter size: the size of the file before.
    func append(_ bytes: [UInt8], to log: LogIndex.Log, size: Int64) throws(SystemError) {
        let path = current(log.plugin, log.launch)
        var number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if number < 0, errno == ENOENT {
            for directory in [directory, place(of: log.plugin)] where mkdir(directory, 0o700) != 0 && errno != EEXIST {
                throw SystemError(number: errno, attempt: "create the directory \(directory)")
            }
            number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        }
        guard number >= 0 else { throw SystemError(number: errno, attempt: "open \(path)") }
        let file = Descriptor(owning: number)
        do throws(SystemError) {
            try FileBytes.write(bytes[...], to: file.number, for: "write \(path)")
        } catch {
            // A part of a line would be joined with the next one.
            _ = ftruncate(file.number, off_t(size))
            throw error
        }
    }

    /// Replaces the earlier file by the current one. The lines of the replaced file are lost.
    func rotate(_ log: LogIndex.Log) throws(SystemError) {
        let path = current(log.plugin, log.launch)
        guard rename(path, earlier(log.plugin, log.launch)) == 0 || errno == ENOENT else {
            throw SystemError(number: errno, attempt: "rename \(path)")
        }
    }

    /// Deletes the files of a launch, and the directory of its plugin once it is empty.
    func delete(_ log: LogIndex.Log) throws(SystemError) {
        for path in [current(log.plugin, log.launch), earlier(log.plugin, log.launch)] {
            guard unlink(path) == 0 || errno == ENOENT else {
                throw SystemError(number: errno, attempt: "delete \(path)")
            }
        }
        rmdir(place(of: log.plugin))
    }

    /// The lines of a launch, oldest first; empty when its files are missing.
    func records(of log: LogIndex.Log) -> [LogRecord] {
        [earlier(log.plugin, log.launch), current(log.plugin, log.launch)].flatMap { path in
            guard let file = try? Descriptor(opening: path, flags: O_RDONLY | O_NOFOLLOW) else { return [LogRecord]() }
            var status = stat()
            guard fstat(file.number, &status) == 0 else { return [] }
            let bytes = try? FileBytes.range(of: file.number, count: Int(status.st_size), for: "read \(path)")
            return String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").compactMap(LogRecord.init(line:))
        }
    }

    /// All logs of earlier host processes, ordered by launch.
    func survey() -> [LogIndex.Log] {
        var logs: [LaunchNumber: LogIndex.Log] = [:]
        for name in FilePlace.names(in: directory) {
            guard let plugin = PluginIdentifier(name) else { continue }
            for file in FilePlace.names(in: place(of: plugin)) {
                guard let digits = file.split(separator: ".").first, let raw = Int64(digits), raw > 0 else { continue }
                var status = stat()
                guard lstat("\(place(of: plugin))/\(file)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    continue
                }
                let launch = LaunchNumber(rawValue: raw)
                let time = status.st_mtim
                let last = WallTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
                var log = logs[launch] ?? LogIndex.Log(plugin: plugin, launch: launch, last: last)
                if file == "\(launch).log" {
                    log.current = Int64(status.st_size)
                } else if file == "\(launch).earlier.log" {
                    log.earlier = Int64(status.st_size)
                } else {
                    continue
                }
                log.last = max(log.last, last)
                logs[launch] = log
            }
        }
        return logs.values.sorted { $0.launch < $1.launch }
    }
}
