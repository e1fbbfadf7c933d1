"""The package as its users have it: `make test-python` installs the wheel into an empty environment and runs this there.

The command that the answers are compared with is named by SYSTOLE, the checkout by SYSTOLE_ROOT.
"""

import gc
import json
import multiprocessing
import os
import subprocess
import sys
import threading
import unittest
from contextlib import redirect_stdout
from copy import copy
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import systole as sy

ROOT = Path(os.environ["SYSTOLE_ROOT"])
COMMAND = os.environ["SYSTOLE"]
SIZES = 3
#: Kernels whose searches take seconds each; `make test-python LONG=1` has them too, and all of PolyBench.
LONG = {
    "blocks/attention", "flash_attention", "lu", "mttkrp", "naive/attention", "naive/cross_entropy", "naive/inverse_times",
    "naive/normal_product", "naive/soft_average", "naive/softmax_attention", "naive/two_factors", "qr_givens",
    "transitive_closure", "ttm", "conv2d", "naive/chain",
}


def of_command(*words: str) -> dict:
    """What the command writes with `--json`."""
    done = subprocess.run([COMMAND, *words, "--json"], capture_output=True, text=True, cwd=ROOT)
    return json.loads(done.stdout)


def timeless(value):
    """The same without what a clock says."""
    if isinstance(value, dict):
        return {key: timeless(entry) for key, entry in value.items() if key not in ("seconds", "ms")}
    return [timeless(entry) for entry in value] if isinstance(value, list) else value


def derived(kernel) -> dict:
    """The forms of a kernel, or why there are none."""
    try:
        return timeless(kernel.derive().to_dict())
    except sy.Refuted as why:
        return timeless(why.found)


def chosen() -> list[str]:
    if os.environ.get("LONG"):
        return sy.kernels()
    return [name for name in sy.kernels() if name not in LONG and not name.startswith("polybench/")]


class SameAnswers(unittest.TestCase):
    """What a method gives is what the command gives."""

    def test_every_kernel(self):
        self.assertGreater(len(chosen()), 30)
        for name in chosen():
            with self.subTest(name):
                path = str(ROOT / "kernels" / f"{name}.rec")
                k = sy.load(path)
                size = {parameter: SIZES for parameter in k.parameters}
                flag = ",".join(f"{parameter}={SIZES}" for parameter in k.parameters)
                self.assertEqual(timeless(k.search(size=size).to_dict()), timeless(of_command("search", path, "--size", flag)))
                self.assertEqual(timeless(k.prove().to_dict()), timeless(of_command("prove", path)))
                self.assertEqual(derived(k), timeless(of_command("derive", path)))
                done = k.run(size=size)
                self.assertEqual(timeless(done.to_dict()), timeless(of_command("run", path, "--size", flag)))
                with TemporaryDirectory() as folder:
                    program = Path(folder) / "k.pe"
                    # At these sizes, too: another design may be the best at others, and add up in another order.
                    of_command("emit", path, "--size", flag, "-o", str(program))
                    text = k.emit(size=size)
                    self.assertEqual(text.text.encode(), program.read_bytes())
                    for ran in (text.sim(size=size), text.exec(size=size, threads=2)):
                        for output in k.outputs:
                            self.assertEqual(ran.outputs[output].tobytes(), done.outputs[output].tobytes())

    def test_every_design_of_a_front(self):
        path = str(ROOT / "kernels" / "matmul.rec")
        front = sy.load(path).search(size=dict(M=2, N=3, K=2), rank=1)
        self.assertGreater(len(front), 3)
        self.assertEqual(front.to_dict()["front"], [design.to_dict() for design in front])
        for number, design in enumerate(front):
            with self.subTest(number):
                self.assertTrue(design.prove())
                done = design.run()
                self.assertEqual((done.cycles, done.pes), (design["cycles"], design["pes"]))
                self.assertEqual(design.program().sim(size=dict(M=2, N=3, K=2)).cycles, design["cycles"])
                a, b = np.random.rand(3, 4), np.random.rand(4, 2)
                np.testing.assert_allclose(design.run(a, b)["C"], a @ b, rtol=1e-12)
                flags = ("--size", "M=2,N=3,K=2", "--rank", "1", "--design", str(number), "--stop-after", "design")
                self.assertIn(design.text().splitlines()[-1], subprocess.check_output([COMMAND, "emit", path, *flags], text=True))
        with self.assertRaises(sy.InputError):
            sy.load(path).prove(size=dict(M=2, N=3, K=2), rank=1, design=len(front))
        every = sy.load(path).search(size=dict(M=1, N=2, K=1), rank=0, all=True)
        self.assertTrue(all(type(entry) is dict for entry in every))

    def test_a_schedule(self):
        chosen = sy.load("matmul").schedule("cannon")
        self.assertTrue(chosen.prove())
        a, b = np.random.rand(3, 2), np.random.rand(2, 4)
        np.testing.assert_allclose(chosen.run(a, b)["C"], a @ b, rtol=1e-12)
        self.assertEqual(chosen.program().text, sy.load("matmul").emit(schedule="cannon").text)
        with TemporaryDirectory() as folder:
            path = Path(folder) / "cannon.design"
            path.write_text(chosen.text())
            self.assertEqual(sy.load(path).run(a, b).cycles, chosen.run(a, b).cycles)

    def test_a_sweep(self):
        path = str(ROOT / "kernels" / "matmul.rec")
        found = sy.load(path).explore(sweep={"size.M": range(2, 4), "link.latency": [1, 2]}, size=dict(N=2, K=2))
        flags = ("--sweep", "size.M=2..3", "--sweep", "link.latency=1,2", "--size", "N=2,K=2")
        self.assertEqual(timeless(found.to_dict()), timeless(of_command("explore", path, *flags)))

    def test_layers(self):
        topology, machine = (str(ROOT / name) for name in ("kernels/layers/resnet18.csv", "machines/scalesim.cfg"))
        self.assertEqual(timeless(sy.layers(topology, machine=machine)), timeless(of_command("layers", topology, "--machine", machine)))

    def test_a_cluster(self):
        with TemporaryDirectory() as folder:
            cluster = Path(folder) / "cluster.toml"
            sy.calibrate(output=cluster, tile=[32], runs=1, work=1, leaves="loops")
            k, size = sy.load("matmul"), dict(M=64, N=64, K=64)
            tuned = k.tune(machine=cluster, size=size, tile={"i": 32, "j": 32, "k": 32}, ranks=2, leaves="loops")
            predicted = tuned.program.predict(machine=cluster, size=size, ranks=[1, 2], leaves="loops")
            self.assertEqual([row["ranks"] for row in predicted["rows"]], [1, 2])

    def test_as_c(self):
        with TemporaryDirectory() as folder:
            written = sy.load("matmul").emit_c(Path(folder) / "c", schedule="cannon")
            self.assertIn("Makefile", [path.name for path in written.iterdir()])


class Values(unittest.TestCase):
    """Arrays of NumPy go in and come out."""

    def test_a_product(self):
        a, b = np.random.rand(4, 5), np.random.rand(5, 3)
        np.testing.assert_allclose(sy.einsum("ik,kj->ij")(a, b), a @ b, rtol=1e-12)
        done = sy.load("matmul").run(B=b, A=a, schedule="cannon")
        np.testing.assert_allclose(done["C"], a @ b, rtol=1e-12)
        self.assertEqual((done.cycles, done.pes), (4 + 5 + 3 - 2, 12))

    def test_any_order_and_any_kind_of_number(self):
        k = sy.einsum("ik,kj->ij")
        a, b = np.arange(6).reshape(2, 3), np.asfortranarray(np.arange(12, dtype=np.float32).reshape(3, 4))
        a.setflags(write=False)
        np.testing.assert_array_equal(k(a, b), a @ b.astype(float))
        np.testing.assert_array_equal(k([[1, 2]], [[3], [4]]), [[11]])

    def test_what_does_not_fit_is_refused(self):
        k = sy.load("matmul")
        with self.assertRaises(sy.InputError) as wrong:
            k.run(np.ones((2, 3)), np.ones((4, 2)))
        self.assertIn("shape", str(wrong.exception))
        with self.assertRaises(sy.InputError):
            k.run(np.array([["a"]]), np.ones((1, 1)))
        with self.assertRaises(TypeError):
            k.run(1, 2, 3)
        a, b = np.ones((2, 3)), np.ones((3, 2))
        for arrays, named in (((a, b), {"A": a}), ((a,), {"B": b, "inputs": {"B": b}}), ((None, b), {}), ((a, b), {"D": a}),
                              ((np.ma.masked_array(a, a > 2), b), {})):
            with self.assertRaises(TypeError):
                k.run(*arrays, **named)

    def test_einsums_without_an_output(self):
        a, b = np.arange(6.0).reshape(2, 3), np.arange(9.0).reshape(3, 3)
        for text, arrays in (("ik,kj", (a, b)), ("ba", (a,)), ("k,k", (b[0], b[1])), ("ij,j", (a, b[0]))):
            with self.subTest(text):
                np.testing.assert_array_equal(sy.einsum(text)(*arrays), np.einsum(text, *arrays))
        for text in ("--help", "a.rec", "ij;jk", "1,2"):
            with self.subTest(text), self.assertRaises(ValueError):
                sy.einsum(text)
        with self.assertRaises(sy.InputError):
            sy.einsum("i->ii").check()

    def test_a_file_that_is_edited_is_read_again(self):
        text = "kernel k(N)\nin {0}[N]\nout y[N]\ny[i] = {0}[i]\n"
        with TemporaryDirectory() as folder:
            path = Path(folder) / "k.rec"
            path.write_text(text.format("x"))
            k = sy.load(path)
            self.assertEqual(k.inputs, ["x"])
            path.write_text(text.format("z"))
            self.assertEqual(k.run(np.ones(3))["y"].tolist(), [1, 1, 1])
            self.assertEqual(k.check().to_dict()["tensors"], k.check()["tensors"])
            with self.assertRaises(sy.InputError):
                k.emit_c(Path(folder) / "none" / "of" / "these")
        with self.assertRaises(sy.InputError):
            sy.load("--help").check()

    def test_a_copy_has_the_text_too(self):
        k = sy.kernel(text="kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i]\n")
        other = copy(k)
        del k
        gc.collect()
        self.assertEqual(other(np.ones(2)).tolist(), [1, 1])


class Messages(unittest.TestCase):
    """What is refused is refused in the words of the command, and as data."""

    def test_every_refused_kernel(self):
        files = sorted((ROOT / "tests" / "errors").glob("*.rec"))
        self.assertGreater(len(files), 60)
        for path in files:
            with self.subTest(path.name), self.assertRaises(sy.Error) as wrong:
                sy.load(path).check()
            expected = path.with_suffix(".expect").read_text().replace(path.name, str(path))
            said = wrong.exception
            self.assertEqual(str(said), expected.rstrip())
            for one in said.diagnostics:
                self.assertIn(one.message.split()[0], expected)
                for span in one.spans:
                    self.assertEqual(path.read_bytes()[slice(*span.bytes)].decode(), span.text)

    def test_classes(self):
        with self.assertRaises(sy.InputError) as wrong:
            sy.kernel("kernel k(N)\nin x[N]\nout y[N]\ny[i] = x[i").check()
        self.assertEqual(wrong.exception.diagnostics[0].code, "syntax")
        with self.assertRaises(sy.Refuted) as wrong:
            sy.load("matmul").prove(schedule="too-fast", check=True)
        self.assertEqual(wrong.exception.counterexample, {"M": 1, "N": 2, "K": 1, "i": 0, "j": 1, "k": 0})
        found = sy.load("matmul").prove(schedule="too-fast")
        self.assertFalse(found)
        self.assertTrue(sy.load("matmul").prove(schedule="cannon", check=True))

    def test_a_deadlock(self):
        waits = """(program waits (version 1)
  (parameters N)
  (array y out (N))
  (grid (i 0 (- N 1)))
  (channel east (offset 1) (latency 1) (depth 1))
  (channel west (offset -1) (latency 1) (depth 1))
  (class first (guard (= i 0)) (recv x west) (send east x) (store (y i) x))
  (class second (guard (= i 1)) (recv x east) (send west x) (store (y i) x)))
"""
        for run in (sy.Program(waits).sim, sy.Program(waits).exec):
            with self.assertRaises(sy.Deadlock) as wrong:
                run(size={"N": 2})
            self.assertIn("deadlock", str(wrong.exception))

    def test_a_flag_that_there_is_not(self):
        with self.assertRaises(sy.InputError):
            sy.load("matmul").search(beauty="much")

    def test_without_a_solver(self):
        code = "import systole as sy\ntry:\n    sy.load('matmul').prove()\n"
        code += "except sy.Error as why:\n    print(type(why).__name__, why.diagnostics[0].code)"
        with TemporaryDirectory() as folder:
            # They are looked for here before anywhere else, and are no libraries.
            (Path(folder) / "libz3.so").touch()
            (Path(folder) / "libz3.so.5.4").touch()
            words, under = [sys.executable, "-c", code], {"LD_LIBRARY_PATH": folder}
            done = subprocess.run(words, env=under, capture_output=True, text=True)
        self.assertEqual(done.stdout, "Error solver\n", done.stderr)


class Calls(unittest.TestCase):
    """Calls that are stopped, that come from many threads, or from a child."""

    def test_eight_threads(self):
        alone = timeless(sy.load("matmul").run(size=dict(M=3, N=3, K=3)).to_dict())
        found = [None] * 8

        def work(number):
            found[number] = timeless(sy.load("matmul").run(size=dict(M=3, N=3, K=3)).to_dict())

        workers = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        [worker.start() for worker in workers]
        [worker.join() for worker in workers]
        self.assertEqual(found, [alone] * 8)

    def test_a_child_that_was_forked(self):
        sy.load("matmul").run(size=dict(M=2, N=2, K=2))
        with multiprocessing.get_context("fork").Pool(2) as pool:
            self.assertEqual(pool.map(_cycles, [2, 3]), [4, 7])

    def test_ctrl_c(self):
        for call in LONG_CALLS:
            with self.subTest(call):
                done = subprocess.run(["python", "-c", STOPPED.replace("{call}", call)], capture_output=True, text=True, timeout=300)
                self.assertEqual(done.returncode, 0, done.stderr)
                took, busy, cycles = done.stdout.split()
                self.assertEqual(cycles, "4")
                # The promise is 0.2 s on a quiet machine.
                self.assertLess(float(took), 2.0)
                # What was stopped does not go on behind the next calls.
                self.assertLess(float(busy), 0.5)

    def test_progress(self):
        told = []
        sy.load("matmul").run(schedule="cannon", size=dict(M=60, N=60, K=4000), progress=lambda *news: told.append(news))
        self.assertIn("simulate", {what for what, _, _ in told})
        self.assertTrue(all(what and done >= 0 and (of is None or of >= 0) for what, done, of in told))

    def test_what_is_too_large_to_be_compared_is_not_simulated(self):
        told = []
        with self.assertRaises(sy.Error) as wrong:
            sy.load("matmul").run(schedule="cannon", size=dict(M=60, N=60, K=100000), progress=lambda *news: told.append(news))
        self.assertIn("the reference is sequential", str(wrong.exception))
        self.assertNotIn("simulate", {what for what, _, _ in told})

    def test_what_is_told_may_end_it(self):
        def ends(*news):
            raise ArithmeticError(news)

        with self.assertRaises(ArithmeticError) as wrong:
            sy.load("lu").search(size=dict(N=40), exact=True, bound=2, progress=ends)
        self.assertEqual(wrong.exception.args[0][0], "search")


#: Calls that take minutes each, where nobody ends them.
LONG_CALLS = [
    "sy.load('lu').search(size=dict(N=40), exact=True, bound=2)",
    "sy.load('lu').run(size=dict(N=40), exact=True, bound=2)",
    "p.sim(size=dict(M=60, N=60, K=100000))",
    "sy.load('matmul').explore(schedule='cannon', sweep={'size.M': range(100, 400)}, size=dict(N=50, K=5000))",
]

#: A second into a call Ctrl-C comes; how long it took to end then, how busy the process is once it has ended, and the next call.
STOPPED = """
import os, signal, systole as sy, threading, time
# Who started this in the background may have it ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
p = sy.load('matmul').emit(schedule='cannon')
came = []
def interrupt():
    came.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1.0, interrupt).start()
try:
    {call}
    raise SystemExit("it ended before")
except KeyboardInterrupt:
    print(time.monotonic() - came[0])
time.sleep(2)
before = time.process_time()
time.sleep(1)
print(time.process_time() - before)
print(sy.load('matmul').run(size=dict(M=2, N=2, K=2)).cycles)
"""


def _cycles(side: int) -> int:
    return sy.load("matmul").run(schedule="cannon", size=dict(M=side, N=side, K=side)).cycles


class Pictures(unittest.TestCase):
    """What a notebook shows."""

    def test_they_are_html(self):
        k = sy.load("matmul")
        front = k.search(size=dict(M=2, N=2, K=2))._repr_html_()
        self.assertIn("<table>", front)
        self.assertIn("t = i + j + k PE (i, j) A streams east", front)
        self.assertIn("</table><p>and ", front)
        self.assertIn("<iframe", k.run(size=dict(M=2, N=2, K=2), page=True)._repr_html_())


class Notebooks(unittest.TestCase):
    """The cells of each notebook run in their order, and what they assert holds."""

    def test_they_run(self):
        notebooks = sorted((ROOT / "python" / "notebooks").glob("*.ipynb"))
        self.assertEqual(len(notebooks), 3)
        for path in notebooks:
            with self.subTest(path.stem), redirect_stdout(StringIO()):
                names: dict = {}
                for cell in json.loads(path.read_text())["cells"]:
                    if cell["cell_type"] == "code":
                        exec(compile("".join(cell["source"]), f"{path.name}", "exec"), names)

    def test_what_pages_show_runs(self):
        pages = [(ROOT / name).read_text() for name in ("python/README.md", "book/src/python.md")]
        blocks = [block.split("```")[0] for page in pages for block in page.split("```python\n")[1:]]
        blocks.append("\n".join(line.strip() for line in sy.__doc__.splitlines() if line.startswith("    ")))
        self.assertEqual(len(blocks), 3)
        before = os.getcwd()
        with TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                for block in blocks:
                    with self.subTest(block):
                        exec(compile(block, "a page", "exec"), {})
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
