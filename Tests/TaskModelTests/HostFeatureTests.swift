// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("A required feature is offered under its exact name, or missing")
struct HostFeatureTests {
    @Test func `missing host features are returned once each, in the order of the requirement`() {
        let required = ["b/1", "a/1", "c/1", "b/1"]
        #expect(HostFeatures.missing(of: required, offered: ["a/1"]) == ["b/1", "c/1"])
        #expect(HostFeatures.missing(of: [], offered: []) == [])
    }

    @Test(arguments: [
        "bgtask.legacy-fetch", "bgtask.legacy-fetch/2", "bgtask.legacy-fetch/10", "Bgtask.legacy-fetch/1",
    ])
    func `a feature with another revision or another spelling is missing`(name: String) {
        #expect(HostFeatures.missing(of: [name]) == [name])
    }

    @Test func `every feature of a release is a feature of the ABI with a revision, or a part of the manifest`() {
        #expect(Set(HostFeatures.all).count == HostFeatures.all.count)
        #expect(HostFeatures.ofABI.allSatisfy { $0.wholeMatch(of: /bgtask\.[a-z-]+\/[1-9][0-9]*/) != nil })
        #expect(HostFeatures.ofManifest.allSatisfy { $0.wholeMatch(of: /manifest\.[a-z-]+/) != nil })
        #expect(HostFeatures.all.count == HostFeatures.ofABI.count + HostFeatures.ofManifest.count)
    }
}
