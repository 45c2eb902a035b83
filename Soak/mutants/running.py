# Part of bgtask, under the Apache License 2.0; see LICENSE.
"""Runs the tests of the core against one mutant, until the first of them fails."""
import os, re, resource, signal, subprocess, sys, threading

from planting import VARIABLE

# The longest tests come last: the other tests kill most mutants, each within a second of processor time.
LONG = "EarliestBeginTests|ScheduleTests|PageTests"
WALK = "RandomWalkTests"
WALK_SETTINGS = {"BGTASK_WALK_EVENTS": "10000", "BGTASK_WALK_SEED": "1"}
STAGES = [
    (["--skip", f"{LONG}|{WALK}"], {}),
    (["--filter", LONG], {}),
    (["--filter", WALK], WALK_SETTINGS),
]
FAILURE = re.compile(r"✘ Test (.+?) (?:recorded an issue|failed)")
MEMORY = 6 << 30  # bytes of address space; a mutant that loops may allocate without end
LEAST_LIMIT = 10  # seconds of processor time for one stage, which does not depend on other programs of the machine
TIME_LIMIT = 600  # seconds, for a mutant that waits; a mutant that loops meets its limit of processor time


class Runner:
    """Runs the tests without a mutant first, to measure their duration and the mutants that each stage reaches."""

    def __init__(self, tests):
        self.tests, self.stages = tests, []
        for arguments, walk in STAGES:
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            result = subprocess.run(self.command(arguments), env=environment("trace", walk), stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            if result.returncode:
                sys.exit(f"{result.stdout}\nmutants: the tests fail without a mutant")
            seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            reached = {int(number) for number in re.findall(r"reached (\d+)", result.stdout)}
            self.stages.append((arguments, walk, reached, round(max(LEAST_LIMIT, 4 * seconds))))

    def command(self, arguments):
        return [self.tests, "--testing-library", "swift-testing", *arguments]

    def run(self, number, killer=None):
        """Returns the outcome (killed, timed out, survived or not reached) and its cause: the failed test or the error.

        `killer` is the test that failed with the mutant in an earlier run, if any. It runs before the others."""
        if killer and any(number in reached for _, _, reached, _ in self.stages):
            name = ["--filter", re.sub(r"[^\w ]", lambda sign: "\\" + sign[0], killer)]
            result = run_stage(self.command(name), environment(str(number), WALK_SETTINGS), LEAST_LIMIT)
            if result == ("killed", killer):
                return result
        outcome = "not reached"
        for arguments, walk, reached, limit in self.stages:
            if number in reached:
                outcome, reason = run_stage(self.command(arguments), environment(str(number), walk), limit)
                if outcome != "survived":
                    return outcome, reason
        return outcome, ""


def environment(mutant, walk):
    return os.environ | walk | {VARIABLE: mutant, "SWIFT_BACKTRACE": "enable=no", "NO_COLOR": "1"}


def run_stage(command, environment, limit):
    def bound():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))

    process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", preexec_fn=bound)
    timer = threading.Timer(TIME_LIMIT, lambda: process.send_signal(signal.SIGXCPU))
    timer.start()
    fatal = ""
    try:
        for line in process.stdout:
            if failure := FAILURE.search(line):
                return "killed", failure[1].strip('"')
            if "Fatal error" in line or "Assertion failed" in line:
                fatal = line.strip()
        status = process.wait()
    finally:
        timer.cancel()
        process.kill()
        process.wait()
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return "timed out", ""
    return ("killed", fatal or f"exit status {status}") if status else ("survived", "")

