"""Inputs and right answers of the 30 kernels of PolyBench/C 4.2.1, as numbers in text.

`python convert.py FOLDER` writes `NAME.txt` beside this file for each kernel of `kernels/polybench`. FOLDER has, for each kernel of the
suite, the arrays before it ran (`NAME/ARRAY.in.npy`) and after (`NAME/ARRAY.out.npy`): dumped by the suite's own C programs, built without
optimisation, with doubles, at small ragged sizes. A file is a line `size M=5,N=7`, a line `path 25` with the length of the critical path, and
for each array a line `input X 2 3`, `output Y 2 3` or `last Y 3`, with its shape, and behind it the elements, row by row; `last` are
the values behind the last step of an output that has all of them. The critical path counts one
equation, or one term of a reduction, as a step; a reduction is one chain in its best order, links and copies are free.
"""

import ast
import pathlib
import struct
import sys

# Per kernel: the suite's name where it is another one, sizes, critical path, inputs and outputs; `a:b` is `b` in the suite, and of `a@b` only
# the last step is.
KERNELS = """
adi - TSTEPS=2,N=6 33 u U@u
atax - M=7,N=5 12 A,x y
bicg - M=7,N=5 7 A,p,r s,q
cholesky - N=7 19 A L:A.lower
correlation - M=5,N=7 25 data corr
covariance - M=5,N=7 16 data cov
deriche - W=6,H=7 17 imgIn,alpha imgOut
doitgen - NR=3,NQ=4,NP=5 5 A,C4 A_out:A
durbin - N=7 14 r y
fdtd_2d - TMAX=3,NX=5,NY=6 6 ex,ey,hz,fict:_fict_ Ex@ex,Ey@ey,Hz@hz
floyd_warshall - N=7 7 path path_out:path
gemm - NI=5,NJ=6,NK=7 8 A,B,C,alpha,beta C_out:C
gemver - N=7 15 A,u1,v1,u2,v2,y,z,alpha,beta x,w
gesummv - N=7 8 A,B,x,alpha,beta y
gramschmidt - M=7,N=5 77 A Q,R
heat_3d - TSTEPS=2,N=5 4 A U@A
jacobi_1d - TSTEPS=3,N=9 6 A,B a@A
jacobi_2d - TSTEPS=3,N=7 6 A,B a@A
lu - N=7 19 A L:A.unit,U:A.upper
ludcmp - N=7 32 A,b x
mm2 2mm NI=4,NJ=5,NK=6,NL=7 12 A,B,C,D,alpha,beta D_out:D
mm3 3mm NI=4,NJ=5,NK=6,NL=7,NM=3 11 A,B,C,D G
mvt - N=7 8 A,x1,x2,y_1,y_2 x1_out:x1,x2_out:x2
nussinov - N=9 15 seq table
seidel_2d - TSTEPS=3,N=7 21 A U@A
symm - M=7,N=5 7 A,B,C,alpha,beta C_out:C
syr2k - M=5,N=7 6 A,B,C,alpha,beta C_out:C
syrk - M=5,N=7 6 A,C,alpha,beta C_out:C
trisolv - N=7 13 L,b x
trmm - M=7,N=5 7 A,B,alpha B_out:B
"""

NUMBERS = {"<f8": "d", "<i4": "i", "<i8": "q", "|i1": "b"}

# Which half of a square is meant, where a kernel leaves two matrices in one, and what the rest is.
HALVES = {
    "lower": lambda row, column, value: value if column <= row else 0.0,
    "upper": lambda row, column, value: value if row <= column else 0.0,
    "unit": lambda row, column, value: value if column < row else float(row == column),
}


def load(path):
    """The shape and the elements of a `.npy` file."""
    data = path.read_bytes()
    start, size = (10, "<H") if data[6] == 1 else (12, "<I")
    end = start + struct.unpack_from(size, data, 8)[0]
    head = ast.literal_eval(data[start:end].decode())
    assert not head["fortran_order"], path
    elements = struct.iter_unpack("<" + NUMBERS[head["descr"]], data[end:])
    return head["shape"], [float(element) for (element,) in elements]


def lines_of(word, folder, arrays, kind):
    for array in arrays.split(","):
        name, _, source = array.replace("@", ":").partition(":")
        stem, _, half = (source or name).partition(".")
        shape, elements = load(folder / f"{stem}.{kind}.npy")
        if half:
            places = [divmod(place, shape[1]) for place in range(len(elements))]
            elements = [HALVES[half](*place, element) for place, element in zip(places, elements)]
        yield " ".join(["last" if "@" in array else word, name, *map(str, shape)])
        yield " ".join(map(repr, elements))


def main(source):
    here = pathlib.Path(__file__).parent
    for line in KERNELS.strip().splitlines():
        name, suite, size, path, inputs, outputs = line.split()
        folder = source / (name.replace("_", "-") if suite == "-" else suite)
        lines = [f"size {size}", f"path {path}"]
        lines += [*lines_of("input", folder, inputs, "in"), *lines_of("output", folder, outputs, "out")]
        (here / f"{name}.txt").write_text("\n".join(lines) + "\n")


main(pathlib.Path(sys.argv[1]))
