// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser

/// The arguments of `bgtask`, divided into the machines of `-H` and the command for each of them.
///
/// `-H`, `--json`, `--socket`, `--system` and `--user` may precede the command. All but `-H` are moved behind its words,
/// where the argument parser accepts them for the commands that have them, and refuses them for all others.
package struct Invocation: Hashable {
    /// The machines of `-H`, each once, in the given order; empty for this machine.
    package let hosts: [RemoteHost]
    /// The words of the command, its arguments and its options.
    package let command: [String]

    private static let flags: Set = ["--json", "--system", "--user"]
    private static let socket = "--socket"
    private static let formats = ["-o", "--output"]

    /// Divides the arguments. Throws a `ValidationError` for an invalid name of a machine, for `-H` without a command,
    /// and for `-o` before the command.
    package init(_ arguments: [String]) throws {
        var rest = arguments[...]
        var (hosts, moved): ([RemoteHost], [String]) = ([], [])
        var isRemote = false
        while let option = rest.first {
            if option.hasPrefix("-H") {
                rest.removeFirst()
                let attached = option.dropFirst(2)
                guard let names = attached.isEmpty ? rest.popFirst() : String(attached) else {
                    throw ValidationError("-H needs the name of a machine; write it like: -H web-1,web-2")
                }
                for host in try RemoteHost.list(names) where !hosts.contains(host) { hosts.append(host) }
                isRemote = true
            } else if Self.flags.contains(option) || option.hasPrefix(Self.socket + "=") {
                moved.append(rest.removeFirst())
            } else if option == Self.socket, rest.count > 1 {
                moved += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else if let misplaced = Self.misplacedFormat(in: rest) {
                throw ValidationError(misplaced)
            } else {
                break
            }
        }
        if isRemote, rest.isEmpty {
            throw ValidationError("-H needs a command for the machine; write it like: bgtask -H web-1 task list")
        }
        // For a mistyped command name, the parser would report the moved options instead of the name: they come after
        // all arguments then.
        let words = rest.prefix(CommandNames.count(in: Array(rest)) ?? rest.count)
        self.hosts = hosts
        command = words + moved + rest.dropFirst(words.count)
    }

    /// The message about an option `-o` at the beginning of the arguments; nil without one. Only lists have the option,
    /// so the argument parser reports it as unknown there.
    private static func misplacedFormat(in arguments: ArraySlice<String>) -> String? {
        guard let first = arguments.first,
            formats.contains(where: { first == $0 || first.hasPrefix($0 + "=") })
        else { return nil }
        let option = arguments.prefix(formats.contains(first) ? 2 : 1)
        let rest = Array(arguments.dropFirst(option.count))
        let words = CommandNames.count(in: rest).map { rest.prefix($0) } ?? ["task", "list"]
        let text = option.joined(separator: " ")
        return "\(text) stands before the command; write it behind: bgtask \(words.joined(separator: " ")) \(text)"
    }
}
