// Part of bgtask, under the Apache License 2.0; see LICENSE.

import ControlAPI
import Testing

@Suite("The paths of a host depend on the user who runs it")
struct HostPathsTests {
    @Test func `the system's host uses the system's directories under /etc, /usr, /var and /run`() {
        let paths = HostPaths.system
        #expect(paths.controlSocket == "/run/bgtask/control.sock")
        #expect(paths.operatorManifests == "/etc/bgtask/manifests")
        #expect(paths.packageManifests == "/usr/share/bgtask/manifests")
        #expect(paths.stateDirectory == "/var/lib/bgtask")
    }

    @Test func `a user's host uses the directories of the XDG variables`() {
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
        #expect(paths.pluginDirectory == "/d/bgtask/plugins")
        #expect(paths.stateDirectory == "/s/bgtask")
        #expect(paths.controlSocket == "/run/user/1/bgtask/control.sock")
    }

    @Test func `without XDG variables all paths of a user's host are below the home directory, the socket included`() {
        let paths = HostPaths.user(environment: ["HOME": "/home/ada"])
        #expect(paths.configurationFile == "/home/ada/.config/bgtask/bgtaskd.yaml")
        #expect(paths.operatorManifests == "/home/ada/.config/bgtask/manifests")
        #expect(paths.packageManifests == "/home/ada/.local/share/bgtask/manifests")
        #expect(paths.pluginDirectory == "/home/ada/.local/share/bgtask/plugins")
        #expect(paths.stateDirectory == "/home/ada/.local/state/bgtask")
        #expect(paths.controlSocket == "/home/ada/.local/state/bgtask/control.sock")
    }

    @Test(arguments: ["", "run/user/1", "."])
    func `an XDG variable with a relative path counts as not set`(value: String) {
        let variables = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"]
        var environment = Dictionary(uniqueKeysWithValues: variables.map { ($0, value) })
        environment["HOME"] = "/home/ada"
        #expect(HostPaths.user(environment: environment) == HostPaths.user(environment: ["HOME": "/home/ada"]))
    }

    @Test func `without an absolute HOME a user's host still has an absolute state directory`() {
        let paths = HostPaths.user(environment: [:])
        #expect(paths.stateDirectory.hasPrefix("/") && paths.stateDirectory.hasSuffix("/.local/state/bgtask"))
        #expect(HostPaths.user(environment: ["HOME": "elsewhere"]) == paths)
    }
}
