// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("A manifest can only lower the limits of the host")
struct PluginLimitTests {
    @Test
    func `the lower of the manifest's and the host's limit of a resource applies, and a missing limit has no effect`() {
        let manifest = PluginLimits(memory: 100, processes: 1_000, fileSize: 7)
        #expect(
            manifest.bounded(by: PluginLimits(memory: 200, processes: 512, fileSize: 9))
                == PluginLimits(memory: 100, processes: 512, fileSize: 7)
        )
        #expect(manifest.bounded(by: .none) == manifest && PluginLimits.none.bounded(by: manifest) == manifest)
        #expect(PluginLimits.none.bounded(by: .none) == .none)
    }
}
