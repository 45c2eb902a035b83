// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ArgumentParser
import ControlAPI

/// The `--json` option. `show` prints the result of a command, as text or as JSON.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print the host's answer as JSON, in the shape of its control API.")
    var json = false

    init() {}

    /// Creates the options for a command that declares its own `--json`, because its JSON is not an answer of the host.
    init(json: Bool) { self.json = json }

    func show(_ reply: some Presentable) throws {
        let context = CommandContext.current
        if json {
            try context.write(String(decoding: WireCoding.encodeReadably(reply), as: UTF8.self) + "\n")
        } else {
            try context.write(reply.text(for: context.reader))
        }
    }
}
