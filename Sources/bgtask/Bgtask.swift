// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Commands
import Dispatch
import Glibc

@main
struct Bgtask {
    /// Not the async entry: its task would ask the system for a priority above everybody else's.
    static func main() {
        Surroundings.prepareProcess()
        Task.detached(priority: .medium) {
            exit(await BgtaskCommand.execute(Array(CommandLine.arguments.dropFirst())).rawValue)
        }
        dispatchMain()
    }
}
