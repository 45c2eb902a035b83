// Part of bgtask, under the Apache License 2.0; see LICENSE.

import LinuxSystem
import RunnerWire
import Sandbox
import SandboxPolicy
import TaskModel
import Testing

@Suite("The sandbox of a launch opens the places of its grants, and none of the host")
struct PlaceTests {
    private static let mechanisms = SandboxMechanisms(
        landlock: LandlockRights(files: 0xffff, network: Landlock.network, scopes: Landlock.scopes),
        landlockVersion: 7,
        filtersSystemCalls: true
    )

    private func policy(_ isolation: Isolation = .bestEffort) throws -> SandboxPolicy {
        try SandboxPolicy(
            isolation,
            mechanisms: Self.mechanisms,
            privatePlaces: ["/nowhere/state", "/nowhere/run/control.sock"],
            cataloguePlaces: ["/nowhere/manifests", "/nowhere/plugins"]
        )
    }

    private static func companion(_ path: String) -> CompanionFile {
        CompanionFile(path: path, key: FileKey(device: 1, inode: 2))
    }

    private func plugin(
        _ grants: Grants = .none,
        settings: [String: String] = [:],
        library: String = "/nowhere/plugins/libFeed.so",
        companions: LibraryCompanions = .files([])
    ) throws -> PluginEntry {
        PluginEntry(
            identifier: try #require(PluginIdentifier("com.example.feed")),
            name: "Feed",
            version: "1",
            role: .main,
            permitted: [],
            modes: [],
            settings: settings,
            grants: grants,
            library: LibraryFile(
                path: library,
                digest: "",
                identity: FileIdentity(device: 1, inode: 1, size: 1, modified: 1, changed: 1)
            ),
            companions: companions,
            manifestPath: "/nowhere/manifests/feed.yaml",
            manifestDigest: ""
        )
    }

    @Test func `without isolation a launch has no sandbox`() throws {
        #expect(try policy(.off).plan(for: plugin()) == nil)
    }

    @Test
    func `the sandbox without grants restricts every Landlock right, has a filter and opens no granted place`()
        throws
    {
        let plan = try #require(try policy().plan(for: plugin()))
        #expect(plan.granted.isEmpty && !plan.filter.isEmpty)
        #expect(plan.landlock == Self.mechanisms.landlock)
    }

    @Test func `the grant network ends Landlock's restriction of ports and changes the filter of system calls`()
        throws
    {
        let without = try #require(try policy().plan(for: plugin()))
        let with = try #require(try policy().plan(for: plugin(Grants(network: true))))
        #expect(with.landlock?.network == 0 && with.filter != without.filter)
    }

    @Test func `granted ports are in the sandbox plan, and Landlock restricts the network beside them`() throws {
        let ports = try #require(try policy().plan(for: plugin(Grants(connect: [443], listen: [80]))))
        #expect(ports.ports == [.init(443, rights: Landlock.connect), .init(80, rights: Landlock.bind)])
        #expect(ports.landlock?.network == Landlock.network)
        let filters = try [
            Grants.none, Grants(network: true), Grants(connect: [1]), Grants(listen: [1]), Grants(unix: ["/a"]),
        ]
        .map { try policy().plan(for: plugin($0))?.filter }
        #expect(Set(filters).count == filters.count)
    }

    @Test func `the grant gpu opens the devices of graphics processors; network, unix, processes and write do not`()
        throws
    {
        let places = try #require(try policy().plan(for: plugin(Grants(gpu: true)))).granted
        #expect(places.filter { $0.access == .device }.map(\.path) == ["/dev/dri"])
        #expect(places.filter { $0.access != .device }.allSatisfy { $0.access == .read && $0.path.hasPrefix("/sys/") })
        let all = Grants(network: true, unix: ["/a"], processes: true, write: ["/b"])
        #expect(try policy().plan(for: plugin(all))?.granted.contains { $0.access == .device } == false)
    }

    private func excesses(_ rights: LandlockRights?, _ isolation: Isolation = .bestEffort) throws -> [String: Bool] {
        let mechanisms = SandboxMechanisms(landlock: rights, landlockVersion: 1, filtersSystemCalls: true)
        let policy = try SandboxPolicy(isolation, mechanisms: mechanisms, privatePlaces: [], cataloguePlaces: [])
        let grants = Grants(connect: [443], unix: ["/a"], gpu: true, processes: true, read: ["/b"])
        let found = try policy.grants(of: plugin(grants)).map {
            ($0.name.key, policy.excess(of: $0) != nil || $0.isRefused)
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    @Test func `a grant that the kernel opens wider than requested is reported, and required isolation refuses it`()
        throws
    {
        let everything = LandlockRights(files: .max >> 47, network: Landlock.network, scopes: Landlock.scopes)
        #expect(try !excesses(everything).values.contains(true))
        let present = LandlockRights(files: 0xffff, network: Landlock.network, scopes: Landlock.scopes)
        #expect(try excesses(present).filter(\.value).keys.sorted() == ["unix"])
        #expect(try excesses(present, .required).filter(\.value).keys.sorted() == ["unix"])
        #expect(try excesses(nil).filter(\.value).keys.sorted() == ["connect", "gpu", "unix"])
        let policy = try policy(.required)
        let plan = try #require(try policy.plan(for: plugin(Grants(unix: ["/a"]))))
        let without = try policy.plan(for: plugin())
        #expect(plan.granted.isEmpty && plan.filter == without?.filter)
    }

    @Test func `a limit of ports narrows the grant network; a kernel that opens more ports is reported`()
        throws
    {
        let pattern = try #require(PluginPattern("*"))
        let ports = GrantedPorts(connect: [443], listen: [8_080])
        func policy(_ rights: LandlockRights?, _ isolation: Isolation = .bestEffort) throws -> SandboxPolicy {
            try SandboxPolicy(
                isolation,
                mechanisms: SandboxMechanisms(landlock: rights, landlockVersion: 4, filtersSystemCalls: true),
                privatePlaces: [],
                cataloguePlaces: [],
                limits: GrantLimits([.init(pattern, GrantLimit(ports: ports))])
            )
        }
        let network = try plugin(Grants(network: true))
        let present = Self.mechanisms.landlock
        let plan = try #require(try policy(present).plan(for: network))
        #expect(plan.ports == [.init(443, rights: Landlock.connect), .init(8_080, rights: Landlock.bind)])
        #expect(plan.landlock?.network == Landlock.network)
        #expect(try plan.filter == policy(present).plan(for: plugin(Grants(listen: [8_080])))?.filter)
        let older = LandlockRights(files: 0xffff, network: 0, scopes: Landlock.scopes)
        let grant = try #require(try policy(older).grants(of: network).first)
        #expect(try policy(older).excess(of: grant)?.contains("opens every TCP port") == true)
        #expect(try policy(older, .required).grants(of: network).map(\.isRefused) == [true])
    }

    @Test func `a grant of a setting opens the setting's absolute path, and nothing if its value is relative or empty`()
        throws
    {
        let settings = ["one": "/srv/one", "two": "inner", "three": "", "four": "/srv/four"]
        let granted: [Grants.Setting] = ["one", "two", "three", "missing"].map { .init(key: $0, access: .write) }
        let entry = try plugin(Grants(read: ["/srv/read"], settings: granted), settings: settings)
        #expect(
            try policy().grants(of: entry).flatMap(SandboxPolicy.places)
                == [.init(path: "/srv/read", access: .read), .init(path: "/srv/one", access: .write)]
        )
    }

    @Test(arguments: [
        "/nowhere/state", "/nowhere/state/ledger.sqlite", "/nowhere", "/", "/nowhere/run/control.sock",
        "/nowhere/plugins/libOther.so",
    ])
    func `a path at, above or below a place of the host is reserved in sandboxes`(path: String) throws {
        #expect(try policy().reservation(of: .init(path: path, access: .read)) != nil)
    }

    @Test(arguments: ["/nowhere/statement", "/nowhere/run/other", "/srv"])
    func `a path that is neither at, above nor below a place of the host is not reserved in sandboxes`(path: String)
        throws
    {
        #expect(try policy().reservation(of: .init(path: path, access: .read)) == nil)
    }

    @Test func `a sandbox opens a library and its companions, or the directory of a stored version`() throws {
        let files = ["/nowhere/plugins/colors.dat", "/nowhere/plugins/libpalette.so"].map(Self.companion)
        let plan = try #require(try policy().plan(for: plugin(companions: .files(files))))
        #expect(plan.library == "/nowhere/plugins/libFeed.so" && plan.companions == files)
        let library = "/nowhere/manifests/store/0/libFeed.so"
        let stored = try #require(try policy().plan(for: plugin(library: library, companions: .directory)))
        #expect(stored.library == "/nowhere/manifests/store/0" && stored.companions.isEmpty)
    }

    @Test(arguments: [LibraryCompanions.directory, .files([companion("/home/me/colors.dat")])])
    func `a sandbox opens a library outside of the host's directories of plugins without other files of its directory`(
        companions: LibraryCompanions
    ) throws {
        let library = "/home/me/libFeed.so"
        let plan = try #require(try policy().plan(for: plugin(library: library, companions: companions)))
        #expect(plan.library == library && plan.companions.isEmpty)
    }

    @Test func `a sandbox opens the library alone if its directory contains the host's state`() throws {
        let policy = try SandboxPolicy(
            .bestEffort,
            mechanisms: Self.mechanisms,
            privatePlaces: ["/nowhere/all/state"],
            cataloguePlaces: ["/nowhere/all"]
        )
        let library = "/nowhere/all/libFeed.so"
        for companions in [LibraryCompanions.directory, .files([Self.companion("/nowhere/all/colors.dat")])] {
            let plan = try #require(try policy.plan(for: plugin(library: library, companions: companions)))
            #expect(plan.library == library && plan.companions.isEmpty)
        }
    }

    @Test func `a process with several threads refuses to enter a sandbox`() throws {
        let plan = SandboxPlan(landlock: nil, library: "", granted: [], reserved: [], filter: [])
        let error = #expect(throws: SystemError.self) { try Sandbox.enter(plan, as: nil, container: "/nowhere") }
        #expect("\(try #require(error))".contains("threads"))
    }
}
