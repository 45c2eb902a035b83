// Part of bgtask, under the Apache License 2.0; see LICENSE.

import Testing

@testable import PluginRuntime

@Suite("A plugin's run_main is called before its stop or never")
struct MainLoopTests {
    @Test func `a plugin's run_main is not called after the plugin's stop is due`() {
        let loop = MainLoop()
        loop.skip()
        #expect(!loop.begin())
    }

    @Test func `a plugin's run_main is not called a second time, neither before nor after the plugin's stop is due`() {
        let loop = MainLoop()
        #expect(loop.begin())
        #expect(!loop.begin())
        loop.skip()
        #expect(!loop.begin())
    }
}
