// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Testing

@Suite("A host's places follow from who runs it")
struct HostPathsTests {
    @Test func `the system's host has the system's folders`() {
        let paths = HostPaths.system
        #expect(paths.controlSocket == "/run/bgtask/control.sock")
        #expect(paths.operatorManifests == "/etc/bgtask/manifests")
        #expect(paths.packageManifests == "/usr/share/bgtask/manifests")
        #expect(paths.stateFolder == "/var/lib/bgtask")
    }

    @Test func `a user's host follows the XDG variables`() {
        let paths = HostPaths.user(
            environment: [
                "HOME": "/home/ada",
                "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s",
                "XDG_RUNTIME_DIR": "/run/user/1",
            ]
        )
        #expect(paths.configurationFile == "/c/bgtask/bgtaskd.yaml")
        #expect(paths.operatorManifests == "/c/bgtask/manifests")
        #expect(paths.packageManifests == "/d/bgtask/manifests")
        #expect(paths.pluginFolder == "/d/bgtask/plugins")
        #expect(paths.stateFolder == "/s/bgtask")
        #expect(paths.controlSocket == "/run/user/1/bgtask/control.sock")
    }

    @Test func `without variables everything is below the home, the socket too`() {
        let paths = HostPaths.user(environment: ["HOME": "/home/ada"])
        #expect(paths.configurationFile == "/home/ada/.config/bgtask/bgtaskd.yaml")
        #expect(paths.pluginFolder == "/home/ada/.local/share/bgtask/plugins")
        #expect(paths.stateFolder == "/home/ada/.local/state/bgtask")
        #expect(paths.controlSocket == "/home/ada/.local/state/bgtask/control.sock")
    }

    @Test(arguments: ["", "run/user/1", "."])
    func `a variable that is no absolute path counts as not set`(value: String) {
        let variables = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"]
        var environment = Dictionary(uniqueKeysWithValues: variables.map { ($0, value) })
        environment["HOME"] = "/home/ada"
        #expect(HostPaths.user(environment: environment) == HostPaths.user(environment: ["HOME": "/home/ada"]))
    }

    @Test func `without a home variable the account's own entry counts`() {
        let paths = HostPaths.user(environment: [:])
        #expect(paths.stateFolder.hasPrefix("/") && paths.stateFolder.hasSuffix("/.local/state/bgtask"))
        #expect(HostPaths.user(environment: ["HOME": "elsewhere"]) == paths)
    }
}
