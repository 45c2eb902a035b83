// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import Glibc

@main
struct Bgtask {
    static func main() async {
        CommandContext.prepareProcess()
        let status = await BgtaskCommand.execute(Array(CommandLine.arguments.dropFirst()))
        exit(status.rawValue)
    }
}
