# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Finds mutations, and builds a copy of the core in which an environment variable selects one of them."""
import collections, hashlib, json, pathlib, re, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "Sources/Scheduling"
HERE = ROOT / "Soak/mutants"
VARIABLE = "BGTASK_MUTANT"

# With the value "trace" no mutation is active, and the mutants that a run reaches are printed.
SWITCH = """import Glibc

private let value = getenv("VARIABLE").map { String(cString: $0) }
private let selected = value.flatMap { Int($0) }
private let isTracing = value == "trace"

/// By number. A race costs a second line, nothing else.
nonisolated(unsafe) private let reached = {
    let flags = UnsafeMutablePointer<Bool>.allocate(capacity: COUNT)
    flags.initialize(repeating: false, count: COUNT)
    return flags
}()

package func isMutant(_ number: Int) -> Bool {
    if isTracing, !reached[number] {
        reached[number] = true
        let line = "reached \\(number)\\n"
        _ = line.withCString { write(2, $0, line.utf8.count) }
    }
    return selected == number
}
"""


def find(scratch):
    """Returns all mutations of the scheduler that FindMutations prints, each with its number."""
    swift = ["--package-path", HERE, "--scratch-path", scratch]
    subprocess.run(["swift", "build", "--quiet", *swift], check=True)
    output = subprocess.run(["swift", "run", "--quiet", "--skip-build", *swift, "FindMutations", SOURCES], check=True,
                            stdout=subprocess.PIPE).stdout
    mutations = json.loads(output)
    for number, mutation in enumerate(mutations):
        mutation["number"] = number
    return mutations


def shuffled(mutations, seed):
    """Orders by a hash of each mutation and the seed: changes of other sources do not move a mutation in the order."""
    seen = collections.Counter()

    def rank(mutation):
        identity = f"{seed} {mutation['file']} {mutation['text']} {mutation['change']}"
        seen[identity] += 1
        return hashlib.sha256(f"{identity} {seen[identity]}".encode()).digest()

    return [mutation for _, mutation in sorted(((rank(each), each) for each in mutations), key=lambda pair: pair[0])]


def plant(source, mutations):
    """Returns the bytes of the source with the mutations planted."""
    insertions = []
    for mutation in mutations:
        length = mutation["end"] - mutation["start"]
        prefix, suffix = (mutation[key].replace("SWITCH", f"isMutant({mutation['number']})")
                          for key in ("prefix", "suffix"))
        # At one place the inner suffix comes before the outer one, and both before the next prefixes, outer first.
        insertions.append((mutation["end"], 0, length, -mutation["number"], suffix))
        insertions.append((mutation["start"], 1, -length, mutation["number"], prefix))
    parts, position = [], 0
    for place, *_, text in sorted(insertions):
        parts += [source[position:place], text.encode()]
        position = place
    return b"".join(parts) + source[position:]


class Copy:
    """A copy of the Soak package whose scheduler is replaced by one with mutants. Builds as debug, incrementally."""

    def __init__(self, directory):
        self.package, self.scratch = directory / "package", directory / "build"
        soak = ROOT / "Soak"
        parts = [soak / "Package.swift", *(soak / "Sources").iterdir(), *(soak / "Tests").iterdir()]
        for path in (part.relative_to(soak) for part in parts if part.name != "Scheduling"):
            link = self.package / path
            link.parent.mkdir(parents=True, exist_ok=True)
            if not link.is_symlink():
                link.symlink_to((ROOT / "Soak" / path).resolve())

    def write(self, mutations):
        """Writes only changed files, so that the incremental build stays short."""
        by_file = collections.defaultdict(list)
        for mutation in mutations:
            by_file[mutation["file"]].append(mutation)
        directory = self.package / "Sources/Scheduling"
        files = {str(path.relative_to(SOURCES)): path.read_bytes() for path in SOURCES.rglob("*.swift")}
        files = {name: plant(source, by_file[name]) for name, source in files.items()}
        files["Mutants.swift"] = SWITCH.replace("VARIABLE", VARIABLE).replace("COUNT", "100_000").encode()
        for path in directory.rglob("*.swift"):
            if str(path.relative_to(directory)) not in files:
                path.unlink()
        for name, content in files.items():
            path = directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                path.write_bytes(content)

    def build(self, mutations):
        """Builds with the mutations. Returns the mutations in lines with errors; an empty list if all compile."""
        self.write(mutations)
        result = subprocess.run(["swift", "build", "--build-tests", "--package-path", self.package, "--scratch-path",
                                 self.scratch, "-j", "2"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode == 0:
            return []
        errors = set(re.findall(r"Sources/Scheduling/(\S+?\.swift):(\d+):\d+: error: ", result.stdout))
        broken = [mutation for file, line in errors for mutation in blame(mutations, file, int(line))]
        if not broken:
            sys.exit(f"{result.stdout}\nmutants: the copy in {self.package} does not build, and no mutation is the cause")
        return broken

    @property
    def tests(self):
        return self.scratch / "debug/soakPackageTests.xctest"


def blame(mutations, file, line):
    """Returns the mutations that caused an error in that line: all of the line, or else the last one before it."""
    above = [mutation for mutation in mutations if mutation["file"] == file and mutation["line"] <= line]
    here = [mutation for mutation in above if line <= mutation["lastLine"]]
    return here or sorted(above, key=lambda mutation: mutation["line"])[-1:]


def choose(copy, candidates, count, refused):
    """Builds the copy with the first candidates that compile. Returns these candidates, and the refused ones before the
    last of them. `refused` did not compile in an earlier run."""
    while True:
        chosen = [candidate for candidate in candidates if candidate not in refused][:count]
        print(f"building with {len(chosen)} mutants; {len(refused)} did not compile", file=sys.stderr, flush=True)
        broken = copy.build(chosen)
        if not broken:
            tried = candidates[:candidates.index(chosen[-1])] if chosen else []
            return chosen, [candidate for candidate in tried if candidate in refused]
        refused += [mutation for mutation in chosen if mutation in broken]
