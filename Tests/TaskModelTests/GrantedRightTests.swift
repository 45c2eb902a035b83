// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("A right is included in other rights only when these permit everything that it permits")
struct GrantedRightTests {
    private func setting(_ access: GrantedRight.Access, _ path: String?) -> GrantedRight {
        .setting(key: "place", access, defaultPath: path)
    }

    @Test func `the grant of a path is included in the grant of its directory with the same or a wider access`() {
        #expect(GrantedRight.path(.read, "/srv/a").isIncluded(in: [.path(.read, "/srv")]))
        #expect(GrantedRight.path(.read, "/srv/a").isIncluded(in: [.path(.write, "/srv/a/")]))
        #expect(GrantedRight.path(.read, "/srv/a").isIncluded(in: [.path(.execute, "/srv")]))
        #expect(!GrantedRight.path(.write, "/srv/a").isIncluded(in: [.path(.read, "/srv")]))
        #expect(!GrantedRight.path(.write, "/srv/a").isIncluded(in: [.path(.execute, "/srv")]))
        #expect(!GrantedRight.path(.read, "/srv").isIncluded(in: [.path(.read, "/srv/a")]))
        #expect(!GrantedRight.path(.read, "/srvx").isIncluded(in: [.path(.read, "/srv")]))
    }

    @Test
    func `a setting's grant includes that setting without default, with its own default or with a granted default`() {
        #expect(setting(.read, "/srv").isIncluded(in: [setting(.write, "/srv")]))
        #expect(setting(.read, nil).isIncluded(in: [setting(.read, "/srv")]))
        #expect(setting(.read, "/data/a").isIncluded(in: [setting(.read, "/srv"), .path(.read, "/data")]))
        #expect(!setting(.read, "/home").isIncluded(in: [setting(.read, "/srv")]))
        #expect(!setting(.write, "/srv").isIncluded(in: [setting(.read, "/srv")]))
        #expect(!setting(.read, nil).isIncluded(in: [.path(.read, "/")]))
        #expect(!setting(.read, "/data/../home").isIncluded(in: [setting(.read, "/srv"), .path(.read, "/data")]))
    }

    @Test func `each of the grants network, processes and health research includes itself and neither of the others`() {
        let all: [GrantedRight] = [.network, .processes, .healthResearch]
        for right in all {
            #expect(right.isIncluded(in: all))
            #expect(!right.isIncluded(in: all.filter { $0 != right }))
        }
    }

    @Test
    func `the grant of a port is included in itself and in the network grant, and does not include the network grant`()
    {
        for right in [GrantedRight.connect(443), .listen(443)] {
            #expect(right.isIncluded(in: [right]) && right.isIncluded(in: [.network]))
            #expect(!GrantedRight.network.isIncluded(in: [right]))
        }
        #expect(!GrantedRight.connect(443).isIncluded(in: [.listen(443), .connect(80)]))
    }

    @Test func `the grant of a Unix socket is included in that of its directory of sockets, not in a grant of files`() {
        #expect(GrantedRight.unix("/run/a/s").isIncluded(in: [.unix("/run/a")]))
        #expect(!GrantedRight.unix("/run/a/s").isIncluded(in: [.path(.write, "/run"), .network, .gpu]))
    }

    @Test func `a setting key or a path that imitates another right does not have that right's canonical text`() {
        let imitating = GrantedRight.setting(key: "a 4:/srv", .read, defaultPath: nil)
        let imitated = GrantedRight.setting(key: "a", .read, defaultPath: "/srv none")
        #expect(imitating.canonicalText != imitated.canonicalText)
        #expect(GrantedRight.path(.read, "/a\nnetwork").canonicalText == "read 10:/a\nnetwork")
    }
}
