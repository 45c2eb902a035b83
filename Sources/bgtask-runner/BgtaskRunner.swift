// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime

/// The program of the runner, the only process that loads plugin code. It runs one launch of one plugin. The plan
/// arrives through the runner's control socket, not through arguments or the environment.
@main
struct BgtaskRunner {
    static func main() {
        PluginRuntime.run()
    }
}
