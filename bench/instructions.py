"""Counts the instructions that Kith executes for an answer, here and in an older checkout, under callgrind:
`python3 bench/instructions.py FOLDER`, where FOLDER is a checkout of the older commit with a release binary.

What else runs on the machine changes nothing in these numbers, unlike rates and processor time; the work of the kernel and of
PostgreSQL is not in them. The functions that take the instructions are in the files that it names at the end:
`callgrind_annotate FILE | swift demangle`. Needs valgrind and clang.
"""

import re
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import paired
import processes

# callgrind crashes when the main thread ends, which is how libdispatch waits. This one serves the main queue.
DISPATCH_MAIN = """
#include <poll.h>
#include <stdint.h>
#include <unistd.h>
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);
void dispatch_main(void) {
    struct pollfd queue = {_dispatch_get_main_queue_handle_4CF(), POLLIN, 0};
    for (uint64_t count;;) {
        poll(&queue, 1, -1);
        read(queue.fd, &count, sizeof count);
        _dispatch_main_queue_callback_4CF(0);
    }
}
"""
FOLDER = Path(tempfile.mkdtemp(prefix="kith-instructions-"))
# A program under callgrind answers about a hundred requests a second, so that each connection would count.
CONNECTIONS = 8


class CountedKith(processes.Kith):
    @contextmanager
    def serve(self):
        # valgrind 3.19 cannot read the debug information of Swift 6.
        program, shim = self.folder / "kith", self.folder / "dispatch_main.so"
        subprocess.run(["objcopy", "--strip-debug", self.binary, program], check=True)
        subprocess.run(["clang", "-shared", "-fPIC", "-x", "c", "-", "-o", shim], input=DISPATCH_MAIN, text=True, check=True)
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--fair-sched=yes",
                   f"--callgrind-out-file={FOLDER / self.folder.name}", program, "serve"]
        log = self.folder / "kith.log"
        with processes.running(command, log, env=dict(self.environment, LD_PRELOAD=str(shim))) as process:
            processes.wait_for(process, self.port, log, seconds=300)
            yield process


class CountedSide(paired.Side):
    """A side whose loads return instructions an answer."""

    Kith = CountedKith

    def wrk(self, seconds, connections, script, *arguments, path=""):
        super().wrk(2, CONNECTIONS, script, *arguments, path=path)
        self.control("--instr=on")
        self.control("--zero")
        answers = super().wrk(seconds, CONNECTIONS, script, *arguments, path=path)["answers"]
        self.control("--dump")
        self.control("--instr=off")
        [dump] = FOLDER.glob(f"{self.name}.*")
        totals = None
        while not totals:  # The last line, which the program writes when it next runs.
            time.sleep(0.1)
            totals = re.search(r"^totals: (\d+)", dump.read_text(errors="replace"), re.M)
        return int(totals[1]) / answers, dump

    def control(self, option):
        subprocess.run(["callgrind_control", option, str(self.process.pid)], check=True, capture_output=True)
        time.sleep(0.3)


def main():
    chosen = paired.arguments(__doc__, seconds=15)
    with paired.both_sides(chosen.older, CountedSide) as sides:
        print("\n| what | instructions an answer, older | newer | ratio |\n|---|--:|--:|--:|", flush=True)
        for what in [what for what in sides[0].loads(0) if what.startswith(chosen.only)]:
            counts, files = zip(*(side.loads(chosen.seconds)[what]() for side in sides))
            print(f"| {what} | {counts[0]:,.0f} | {counts[1]:,.0f} | {counts[1] / counts[0]:.3f} |", flush=True)
            for side, file in zip(sides, files):
                file.rename(FOLDER / f"{what.split(' @')[0].replace(' ', '_')}.{side.name}")
    print(f"\nThe functions: {FOLDER}")


if __name__ == "__main__":
    main()
