// Part of bgtask, under the Apache License 2.0; see LICENSE.

public import BackgroundTasks
import Glibc

/// The entry of this process, between the entry function, which the host calls, and the main type of the plugin.
@MainActor
enum MainEntry {
    private typealias Main = @convention(c) (Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32

    /// The status for a library without a main type; negative statuses are free for plugins to define.
    private static let missing: Int32 = -2

    private static var arguments: (host: PluginHost, hooks: PluginHooks)?
    private static var status = missing
    /// The value of the main type, which exists as long as the process, like an app's delegate.
    private static var plugin: (any BackgroundPluginMain)?

    /// Calls the function `main` of this library, which the attribute `@main` defines.
    static func enter(_ host: PluginHost, _ hooks: PluginHooks) -> Int32 {
        arguments = (host, hooks)
        guard let main = function(named: "main") else {
            BackgroundPlugin.log(
                "the library exports no main type; write @main before a type that conforms to BackgroundPluginMain",
                level: .error
            )
            return missing
        }
        _ = main(0, nil)
        return status
    }

    static func run(_ type: (some BackgroundPluginMain).Type) {
        guard let (host, hooks) = arguments else { return }
        status = BackgroundPlugin.enter(host, hooks) {
            let plugin = type.init()
            self.plugin = plugin
            try await plugin.launch()
        }
    }

    /// A function of this library. The search begins in the library: the program that loaded it has a function `main`
    /// of its own.
    private static func function(named name: String) -> Main? {
        // Glibc's module leaves out `dladdr`.
        guard let dladdr = dlsym(nil, "dladdr").map({ unsafeBitCast($0, to: Place.Read.self) }) else { return nil }
        var place = Place()
        let entry: @convention(c) (PluginHost, PluginHooks) -> Int32 = bgtask_plugin_entry
        guard dladdr(unsafeBitCast(entry, to: UnsafeRawPointer.self), &place) != 0, let path = place.library,
            let library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD)
        else { return nil }
        return dlsym(library, name).map { unsafeBitCast($0, to: Main.self) }
    }

    /// The structure `Dl_info` of glibc.
    private struct Place {
        typealias Read = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer) -> Int32

        var library: UnsafePointer<CChar>?
        var base: UnsafeRawPointer?
        var symbol: UnsafePointer<CChar>?
        var address: UnsafeRawPointer?
    }
}

/// The entry function of the plugin, the only symbol that the host looks up.
@c(bgtask_plugin_entry)
public func bgtask_plugin_entry(_ host: PluginHost, _ hooks: PluginHooks) -> Int32 {
    // The host calls this function on the main thread, and the pointers stay there.
    nonisolated(unsafe) let (host, hooks) = (host, hooks)
    return MainActor.assumeIsolated { MainEntry.enter(host, hooks) }
}
