// Part of bgtask, under the Apache License 2.0; see LICENSE.

/// The places that every plugin may use: programs and libraries of the system, its files about names, certificates and
/// time, `/proc`, the description of the processors, and harmless devices. A plugin may also use its library, its
/// container and its grants.
enum BasePlaces {
    static let all = [
        (
            ["/usr", "/opt", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"],
            Landlock.reading | Landlock.execute
        ),
        (etc + ["/proc", "/sys/devices/system/cpu"], Landlock.reading),
        (
            ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"],
            Landlock.readFile | Landlock.writeFile
        ),
    ].flatMap { paths, rights in paths.map { (path: $0, rights: rights) } }

    private static let etc = [
        "alternatives", "ca-certificates", "gai.conf", "group", "host.conf", "hosts", "ld.so.cache", "ld.so.conf",
        "ld.so.conf.d", "localtime", "mime.types", "nsswitch.conf", "passwd", "pki", "protocols",
        "resolv.conf", "services", "ssl/certs", "ssl/openssl.cnf", "timezone",
    ].map { "/etc/\($0)" }
}
