// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// Settings of the manifest, which the operator may override. They are strings; an invalid number counts as missing.
enum Settings {
    static func feed() throws -> URL {
        let text = BackgroundPlugin.setting("feed-url") ?? ""
        guard let address = URL(string: text), ["file", "http", "https"].contains(address.scheme) else {
            throw Failure(
                "the setting feed-url is \"\(text)\"; set the http, https or file address of an RSS or Atom feed"
            )
        }
        return address
    }

    static var refreshInterval: TimeInterval { number("every-minutes", 30) * 60 }
    static var cleaningInterval: TimeInterval { number("clean-every-hours", 24) * 3600 }
    static var oldestToKeep: Date { Date(timeIntervalSinceNow: -number("keep-days", 90) * 86400) }
    static var longestDocument: Int { Int(number("max-bytes", 8_388_608)) }
    static var pause: Duration { .milliseconds(Int(number("pause-ms", 0))) }

    static func exportDirectory() throws -> URL {
        let directory = try container().appending(path: BackgroundPlugin.setting("directory") ?? "exported")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return directory
    }

    static func container() throws -> URL {
        guard let container = BackgroundPlugin.containerURL else {
            throw Failure("there is no container without a host")
        }
        return container
    }

    private static func number(_ key: String, _ otherwise: Double) -> Double {
        guard let text = BackgroundPlugin.setting(key), let number = Double(text), (0...1e12).contains(number) else {
            return otherwise
        }
        return number
    }
}
