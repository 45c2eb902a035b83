// Part of bgtask, under the Apache License 2.0; see LICENSE.

import PluginRuntime

/// The only process that maps plugin code: one launch of one plugin. Its plan comes through the control socket, nothing
/// through arguments or environment.
@main
struct BgtaskRunner {
    static func main() {
        PluginRuntime.run()
    }
}
