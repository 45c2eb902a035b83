// Part of bgtask, under the Apache License 2.0; see LICENSE.

import BackgroundTasks

/// The entry function of the plugin, the only symbol that the host looks up.
@c(bgtask_plugin_entry)
public func enter(_ host: PluginHost, _ hooks: PluginHooks) -> Int32 {
    BackgroundPlugin.enter(host, hooks) { try Parts.chosen().launch() }
}
