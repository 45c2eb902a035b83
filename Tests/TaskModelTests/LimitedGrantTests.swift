// Part of bgtask, under the Apache License 2.0; see LICENSE.

import TaskModel
import Testing

@Suite("The effect of a grant is its intersection with every limit that matches its plugin")
struct LimitedGrantTests {
    private func grants(
        _ requested: Grants,
        _ limits: [String: GrantLimit],
        of plugin: String = "com.example.feed",
        main: String? = nil,
        settings: [String: String] = [:]
    ) throws -> [LimitedGrant] {
        let identity = FileIdentity(device: 1, inode: 1, size: 1, modified: 1, changed: 1)
        let entry = PluginEntry(
            identifier: try #require(PluginIdentifier(plugin)),
            name: "Feed",
            version: "1",
            role: main == nil ? .main : .extension,
            containingPlugin: main.flatMap(PluginIdentifier.init),
            permitted: [],
            modes: [],
            settings: settings,
            grants: requested,
            library: LibraryFile(path: "/nowhere/libFeed.so", digest: "", identity: identity),
            manifestPath: "/nowhere/feed.yaml",
            manifestDigest: ""
        )
        let entries = try limits.map { GrantLimits.Entry(try #require(PluginPattern($0)), $1) }
        return LimitedGrant.all(of: entry, under: GrantLimits(entries))
    }

    private func paths(_ requested: [String], _ limits: [String]...) throws -> [String] {
        let names = ["*", "com.example.*", "com.example.feed"]
        let all = zip(names, limits).map { ($0, GrantLimit(paths: [.write: $1])) }
        return try grants(Grants(write: requested), Dictionary(uniqueKeysWithValues: all)).flatMap(\.places).map(\.path)
    }

    @Test(arguments: [
        ("*", true), ("com.example.*", true), ("com.example.feed", true), ("com.example.feed.*", false),
        ("com.exam.*", false), ("com.example.fee", false),
    ])
    func `a grant limit applies to the plugins that its pattern matches`(_ pattern: String, applies: Bool) throws {
        let found = try grants(Grants(network: true), [pattern: GrantLimit(network: false)])
        #expect(found.map(\.isRefused) == [applies])
    }

    @Test(arguments: ["", "com", "com.*", "*.feed", "com.*.feed", "com.example.fe*", "**"])
    func `an incomplete identifier, or a star that does not follow a prefix of two parts, is no plugin pattern`(
        _ text: String
    ) { #expect(PluginPattern(text) == nil) }

    @Test func `the grant limits of a main plugin apply to its extension`() throws {
        let limit = ["com.example.feed": GrantLimit(network: false)]
        let found = try grants(Grants(network: true), limit, of: "com.example.keyboard", main: "com.example.feed")
        #expect(found.map(\.isRefused) == [true])
    }

    @Test func `a grant limit that permits a right neither grants that right nor lifts another limit`() throws {
        let limits = ["*": GrantLimit(network: false), "com.example.feed": GrantLimit(network: true, processes: true)]
        #expect(try grants(.none, limits).isEmpty)
        #expect(try grants(Grants(network: true), limits).map(\.isRefused) == [true])
    }

    @Test func `a requested path is narrowed to its parts within the grant limit`() throws {
        #expect(try paths(["/srv/a"], ["/srv"]) == ["/srv/a"])
        #expect(try paths(["/srv"], ["/srv/a", "/srv/b", "/home"]) == ["/srv/a", "/srv/b"])
        #expect(try paths(["/srv"], ["/home"]).isEmpty)
        #expect(try paths(["/srv"], []).isEmpty)
        #expect(try paths(["/srvx"], ["/srv"]).isEmpty)
        #expect(try paths(["/"], ["/srv"]) == ["/srv"])
    }

    @Test func `several grant limits narrow a requested path to the part that lies in all of them`() throws {
        #expect(try paths(["/srv"], ["/srv/a"], ["/srv/a/b"]) == ["/srv/a/b"])
        #expect(try paths(["/srv"], ["/srv/a"], ["/srv/b"]).isEmpty)
        let limits = [
            "*": GrantLimit(paths: [.read: ["/srv"]]), "com.example.feed": GrantLimit(paths: [.read: ["/srv/a/b"]]),
        ]
        let place = try grants(Grants(read: ["/srv/a"]), limits).first?.places.first
        #expect(place?.path == "/srv/a/b" && place.map { Set($0.within) } == ["/srv", "/srv/a/b"])
    }

    @Test func `a setting's path within the grant limit is accepted, and a path with two dots is refused`() throws {
        let requested = Grants(settings: [.init(key: "place", access: .read)])
        let limits = ["*": GrantLimit(paths: [.read: ["/srv"]])]
        #expect(try grants(requested, limits, settings: ["place": "/srv/a"]).map(\.isRefused) == [false])
        #expect(try grants(requested, limits, settings: ["place": "/srv/../etc"]).map(\.isRefused) == [true])
        #expect(try grants(requested, [:], settings: ["place": "relative"]).isEmpty)
    }

    @Test func `grant limits of network, Unix sockets and GPU refuse ports, sockets outside of the limit, and the GPU`()
        throws
    {
        let limits = ["*": GrantLimit(network: false, gpu: false, unix: ["/run/a"])]
        let requested = Grants(connect: [443], listen: [80], unix: ["/run", "/tmp/x"], gpu: true)
        let found = try grants(requested, limits)
        #expect(found.map(\.isRefused) == [true, true, false, true, true])
        #expect(found[2].places.map(\.path) == ["/run/a"])
    }

    private func ports(_ requested: Grants, _ limits: GrantedPorts...) throws -> [LimitedGrant] {
        let all = zip(["*", "com.example.*"], limits).map { ($0, GrantLimit(ports: $1)) }
        return try grants(requested, Dictionary(uniqueKeysWithValues: all))
    }

    @Test func `a grant limit of ports refuses the requested ports that it does not contain`() throws {
        let limit = GrantedPorts(connect: [443], listen: [8080])
        let found = try ports(Grants(connect: [443, 80, 8080], listen: [8080, 443]), limit)
        #expect(found.map(\.isRefused) == [false, true, true, false, true])
        let cause = "grant-limits.*.network is { connect: [443], listen: [8080] }"
        #expect(found.map(\.narrowings) == [[], [cause], [cause], [], [cause]])
        #expect(try ports(Grants(listen: [443]), GrantedPorts(connect: [443], listen: [])).map(\.isRefused) == [true])
    }

    @Test func `grant limits of ports narrow a request for the whole network to the ports that all of them contain`()
        throws
    {
        let first = GrantedPorts(connect: [443, 80], listen: [8080])
        let one = try ports(Grants(network: true), first)
        #expect(one.map(\.ports) == [first] && one.map(\.isRefused) == [false])
        let two = try ports(Grants(network: true), first, GrantedPorts(connect: [80, 25], listen: []))
        #expect(two.map(\.ports) == [GrantedPorts(connect: [80], listen: [])] && two.map(\.isRefused) == [false])
        #expect(two.first?.narrowings.count == 2)
        let none = try ports(Grants(network: true), first, GrantedPorts(connect: [25], listen: []))
        #expect(none.map(\.isRefused) == [true])
        #expect(try ports(Grants(network: true), GrantedPorts(connect: [], listen: [])).map(\.isRefused) == [true])
        #expect(try ports(.none, first).isEmpty)
    }

    @Test func `a grant limit of ports is shown in the notation of the configuration`() {
        #expect(
            GrantLimit(ports: GrantedPorts(connect: [443, 80], listen: [])).words == [
                "network { connect: [443, 80] }"
            ]
        )
        #expect(GrantLimit(ports: GrantedPorts(connect: [], listen: [])).words == ["network {}"])
    }

    @Test
    func `the cause of a narrowed grant is the configuration key with its value, and an unchanged grant has none`()
        throws
    {
        let limits = ["*": GrantLimit(network: false, paths: [.write: ["/srv/a"], .read: ["/srv"], .execute: []])]
        let requested = Grants(network: true, processes: true, read: ["/srv"], write: ["/srv"], execute: ["/opt/x"])
        #expect(
            try grants(requested, limits).map(\.narrowings) == [
                ["grant-limits.*.network is false"], [], [], ["grant-limits.*.write is /srv/a"],
                ["grant-limits.*.execute is empty"],
            ]
        )
    }
}
