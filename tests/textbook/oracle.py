"""What the kernels of this folder compute, by NumPy, loop by loop: inputs and results at two sizes each.

`python oracle.py` writes `NAME.txt` beside each `NAME.rec`. A block of such a file is a line `size M=2,N=3`, then a line
`input X 2 3` or `output Y 2 3` for each array, with its shape, and behind it the elements, row by row. Nothing here knows how
Systole works: each function is written from the textbook, mostly with other algorithms than the kernel has.
"""

import itertools
import pathlib

import numpy as np

NUMBERS = {}


def drawn(name, *shape):
    """Numbers between -1 and 1 in sixteenths, none of them 0, the same for a name on every machine."""
    state = sum((at + 1) * ord(letter) for at, letter in enumerate(name)) * 2654435761 % 2**32
    values = []
    for _ in range(int(np.prod(shape))):
        state = (1664525 * state + 1013904223) % 2**32
        value = (state >> 16) % 32 - 16
        values.append((value if value < 0 else value + 1) / 16)
    return np.array(values).reshape(shape)


def positive(name, *shape):
    return np.abs(drawn(name, *shape))


def letters(name, *shape):
    return np.floor(2 + 2 * drawn(name, *shape)).clip(0, 3)


def dominant(name, n):
    return drawn(name, n, n) + (n + 1) * np.eye(n)


def definite(name, n):
    a = drawn(name, n, n)
    return a @ a.T + np.eye(n)


def given(**arrays):
    NUMBERS.update(arrays)
    return [arrays[name] for name in arrays]


def givens_rls(M, N):
    # The triangle that least squares with these weights has, by a factorisation of the normal equations.
    A, lam, delta = given(A=drawn("A", M, N + 1), **{"lambda": np.array(0.9375), "delta": np.array(0.5)})
    rows = np.vstack([lam**M * delta * np.eye(N, N + 1), lam ** np.arange(M - 1, -1, -1)[:, None] * A])
    upper = np.linalg.cholesky(rows[:, :N].T @ rows[:, :N]).T
    return {"R": np.hstack([upper, np.linalg.solve(upper.T, rows[:, :N].T @ rows[:, N:])])}


def warshall(N):
    (A,) = given(A=(drawn("A", N, N) > 0.4).astype(float))
    closed, power = A.copy(), A.copy()
    for _ in range(N):
        power = ((power @ A) > 0).astype(float)
        closed = np.maximum(closed, power)
    return {"C": closed}


def gemm(M, N, K):
    A, B, C, alpha, beta = given(
        A=drawn("A", M, K), B=drawn("B", K, N), C=drawn("C", M, N), alpha=np.array(1.5), beta=np.array(-0.25)
    )
    return {"D": alpha * A @ B + beta * C}


def complex_product(M, N, K):
    ar, ai, br, bi = given(
        Ar=drawn("Ar", M, K), Ai=drawn("Ai", M, K), Br=drawn("Br", K, N), Bi=drawn("Bi", K, N)
    )
    product = (ar + 1j * ai) @ (br + 1j * bi)
    return {"Cr": product.real, "Ci": product.imag}


def crout(N):
    # Each element of U is a quotient of minors of A.
    (A,) = given(A=dominant("A", N))
    U = np.eye(N)
    for i, j in itertools.combinations(range(N), 2):
        columns = [*range(i), j]
        U[i, j] = np.linalg.det(A[: i + 1][:, columns]) / np.linalg.det(A[: i + 1, : i + 1])
    return {"L": np.tril(A @ np.linalg.inv(U)), "U": U}


def gauss_elimination(N):
    A, b = given(A=dominant("A", N), b=drawn("b", N))
    return {"x": np.linalg.solve(A, b)}


def durbin(N):
    (r,) = given(r=drawn("r", N) / 4)
    column = np.concatenate([[1], r[:-1]])
    toeplitz = np.array([[column[abs(i - j)] for j in range(N)] for i in range(N)])
    return {"x": np.linalg.solve(toeplitz, -r)}


def householder(M, N):
    # The triangle of a factorisation by NumPy, with the signs that reflections away from each column's first element give.
    (A,) = given(A=drawn("A", M, N) + np.eye(M, N))
    W = A.copy()
    for k in range(N):
        x = W[k:, k].copy()
        x[0] += np.copysign(np.linalg.norm(x), x[0])
        W[k:] -= 2 * np.outer(x, x @ W[k:]) / (x @ x)
    upper = np.linalg.qr(A, mode="r")
    np.testing.assert_allclose(np.abs(upper), np.abs(np.triu(W[:N])), atol=1e-12)
    return {"R": np.triu(W[:N])}


def over_relaxation(T, N):
    A, b, omega, x = given(A=dominant("A", N), b=drawn("b", N), omega=np.array(1.25), x=drawn("x", N))
    x = x.copy()
    for _ in range(T):
        for i in range(N):
            x[i] += omega * (b[i] - A[i] @ x) / A[i, i]
    return {"x_out": x}


def transposed_conv(N, K):
    x, h = given(x=drawn("x", N), h=drawn("h", K))
    spread = np.zeros(2 * N - 1)
    spread[::2] = x
    return {"y": np.convolve(spread, h)}


def red_black(T, N):
    f, u = given(f=drawn("f", N), u=drawn("u", N))
    u = np.concatenate([[0.0], u, [0.0]])
    for _ in range(T):
        for first in (0, 1):
            around = (u[:-2] + u[2:] - f) / 2
            u[1 + first : -1 : 2] = around[first::2]
    return {"u_out": u[1:-1]}


def power_iteration(T, N):
    A, x = given(A=drawn("A", N, N), x=drawn("x", N))
    largest = np.zeros(T)
    for t in range(T):
        y = A @ x
        largest[t] = np.linalg.norm(y, np.inf)
        x = y / largest[t]
    return {"largest": largest, "x_out": x}


def cubic_spline(N):
    h, a = given(h=positive("h", N + 1), a=drawn("a", N + 2))
    T, d = np.zeros((N, N)), np.zeros(N)
    for i in range(N):
        T[i, i] = 2 * (h[i] + h[i + 1])
        if i > 0:
            T[i, i - 1] = h[i]
        if i < N - 1:
            T[i, i + 1] = h[i + 1]
        d[i] = 3 * (a[i + 2] - a[i + 1]) / h[i + 1] - 3 * (a[i + 1] - a[i]) / h[i]
    return {"c": np.concatenate([[0], np.linalg.solve(T, d), [0]])}


def forward_backward(T, S):
    # The sum over all paths of states.
    A, E, p = given(A=positive("A", S, S), E=positive("E", T, S), p=positive("p", S))
    g = np.zeros((T, S))
    for path in itertools.product(range(S), repeat=T):
        chance = p[path[0]] * np.prod([E[t, path[t]] for t in range(T)])
        chance *= np.prod([A[path[t], path[t + 1]] for t in range(T - 1)])
        for t in range(T):
            g[t, path[t]] += chance
    return {"g": g / g.sum(axis=1, keepdims=True)}


def conv1d_channels(F, C, N, K):
    W, X, b = given(W=drawn("W", F, C, K), X=drawn("X", C, N + K - 1), b=drawn("b", F))
    return {"Y": np.array([[b[f] + np.sum(W[f] * X[:, i : i + K]) for i in range(N)] for f in range(F)])}


def strided_conv(F, C, M, N, K, L):
    W, X = given(W=drawn("W", F, C, K, L), X=drawn("X", C, 2 * M + K - 2, 2 * N + L - 2))
    Y = np.zeros((F, M, N))
    for f, i, j in np.ndindex(F, M, N):
        Y[f, i, j] = np.sum(W[f] * X[:, 2 * i : 2 * i + K, 2 * j : 2 * j + L])
    return {"Y": Y}


def elman_rnn(T, I, H, O):
    x, W, U, b, V = given(
        x=drawn("x", T, I), W=drawn("W", H, I), U=drawn("U", H, H), b=drawn("b", H), V=drawn("V", O, H)
    )
    h, y = np.zeros(H), np.zeros((T, O))
    for t in range(T):
        h = np.tanh(W @ x[t] + U @ h + b)
        y[t] = V @ h
    return {"y": y}


def conjugate_gradient(T, N):
    # The best x of the Krylov space of T dimensions.
    A, b = given(A=definite("A", N), b=drawn("b", N))
    space = np.array([np.linalg.matrix_power(A, t) @ b for t in range(T)]).T
    return {"X": space @ np.linalg.solve(space.T @ A @ space, space.T @ b)}


def gauss_jordan_solve(N, R):
    A, B = given(A=dominant("A", N), B=drawn("B", N, R))
    return {"X": np.linalg.solve(A, B)}


def gauss_jordan_inverse(N):
    (A,) = given(A=dominant("A", N))
    return {"X": np.linalg.inv(A)}


def nussinov(N):
    (s,) = given(s=letters("s", N))
    known = {}

    def most(i, j):
        if i >= j:
            return 0
        if (i, j) not in known:
            pairs = [most(i, k - 1) + 1 + most(k + 1, j - 1) for k in range(i, j) if s[k] + s[j] == 3]
            known[i, j] = max([most(i, j - 1), *pairs])
        return known[i, j]

    return {"F": np.array([[float(most(i, j)) for j in range(N)] for i in range(N)])}


def optimal_search_tree(N):
    # The least over all trees: each node's weight counts once a level.
    p, q = given(p=positive("p", N), q=positive("q", N + 1))

    def trees(i, j, depth):
        if i == j:
            yield (depth + 1) * q[i]
            return
        for k in range(i, j):
            for left in trees(i, k, depth + 1):
                for right in trees(k + 1, j, depth + 1):
                    yield left + right + (depth + 1) * p[k]

    e = np.zeros((N + 1, N + 1))
    for i, j in np.ndindex(N + 1, N + 1):
        e[i, j] = min(trees(i, j, 0)) if i <= j else 0
    return {"e": e}


def gram_schmidt(M, N):
    (A,) = given(A=drawn("A", M, N) + 2 * np.eye(M, N))
    R = np.linalg.cholesky(A.T @ A).T
    return {"Q": A @ np.linalg.inv(R), "R": R}


def causal_attention(N, D):
    Q, K, V = given(Q=drawn("Q", N, D), K=drawn("K", N, D), V=drawn("V", N, D))
    scores = np.where(np.tri(N, dtype=bool), Q @ K.T / np.sqrt(D), -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return {"O": weights / weights.sum(axis=1, keepdims=True) @ V}


def haar(N):
    (x,) = given(x=drawn("x", 4 * N))
    fours = x.reshape(N, 4)
    return {
        "a": fours.mean(axis=1),
        "d": (fours[:, :2].sum(axis=1) - fours[:, 2:].sum(axis=1)) / 4,
        "e": (x[0::2] - x[1::2]) / 2,
    }


def conv_then_pool(N, K):
    w, x = given(w=drawn("w", K), x=drawn("x", 2 * N + K - 1))
    return {"y": np.maximum(0, np.correlate(x, w, "valid")).reshape(N, 2).max(axis=1)}


def rms_norm_product(M, D, N):
    X, g, W = given(X=drawn("X", M, D), g=drawn("g", D), W=drawn("W", D, N))
    return {"Y": (X / np.sqrt(np.mean(X**2, axis=1, keepdims=True) + 0.001) * g) @ W}


def perceptron3(B, I, H, J, O):
    X, U, V, W, a, c = given(
        X=drawn("X", B, I), U=drawn("U", I, H), V=drawn("V", H, J), W=drawn("W", J, O), a=drawn("a", H), c=drawn("c", J)
    )
    return {"Y": np.maximum(0, np.maximum(0, X @ U + a) @ V + c) @ W}


def tucker(I, J, K, A, B, C):
    X, U, V, W = given(X=drawn("X", I, J, K), U=drawn("U", I, A), V=drawn("V", J, B), W=drawn("W", K, C))
    return {"G": np.einsum("ijk,ia,jb,kc->abc", X, U, V, W)}


def batched_product(B, M, N, K):
    X, Y = given(X=drawn("X", B, M, K), Y=drawn("Y", B, K, N))
    return {"Z": X @ Y}


def syrk(N, K):
    A, C = given(A=drawn("A", N, K), C=drawn("C", N, N))
    return {"D": np.tril(C + A @ A.T)}


def trmm(M, N):
    L, B = given(L=drawn("L", M, M), B=drawn("B", M, N))
    return {"C": np.tril(L) @ B}


def covariance(N, D):
    (X,) = given(X=drawn("X", N, D))
    return {"S": np.cov(X.T, bias=True).reshape(D, D)}


def fdtd1d(T, N):
    e0, h0, ce, ch = given(e0=drawn("e0", N + 1), h0=drawn("h0", N), ce=np.array(0.5), ch=np.array(0.75))
    e, h = np.zeros((T + 1, N + 1)), np.zeros((T + 1, N))
    e[0], h[0] = e0, h0
    for t in range(1, T + 1):
        e[t, 1:N] = e[t - 1, 1:N] + ce * np.diff(h[t - 1])
        h[t] = h[t - 1] + ch * np.diff(e[t])
    return {"e": e, "h": h}


def wave2d(T, N):
    f, g, c = given(f=drawn("f", N + 2, N + 2), g=drawn("g", N + 2, N + 2), c=np.array(0.25))
    u = np.zeros((T + 2, N + 2, N + 2))
    u[0], u[1] = f, g
    for t in range(2, T + 2):
        old = u[t - 1]
        around = old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:] - 4 * old[1:-1, 1:-1]
        u[t, 1:-1, 1:-1] = 2 * old[1:-1, 1:-1] - u[t - 2, 1:-1, 1:-1] + c * around
    return {"u": u}


CASES = {
    givens_rls: ["M=3,N=2", "M=5,N=3"],
    warshall: ["N=3", "N=5"],
    gemm: ["M=3,N=3,K=3", "M=2,N=4,K=3"],
    complex_product: ["M=3,N=3,K=3", "M=2,N=4,K=3"],
    crout: ["N=3", "N=5"],
    gauss_elimination: ["N=3", "N=5"],
    durbin: ["N=3", "N=5"],
    cubic_spline: ["N=3", "N=6"],
    forward_backward: ["T=3,S=3", "T=4,S=2"],
    conv1d_channels: ["F=2,C=2,N=3,K=2", "F=3,C=2,N=5,K=3"],
    strided_conv: ["F=2,C=2,M=2,N=2,K=2,L=2", "F=1,C=2,M=2,N=3,K=3,L=2"],
    elman_rnn: ["T=2,I=2,H=2,O=2", "T=3,I=2,H=3,O=1"],
    conjugate_gradient: ["T=2,N=3", "T=3,N=4"],
    gauss_jordan_solve: ["N=3,R=1", "N=4,R=3"],
    gauss_jordan_inverse: ["N=3", "N=4"],
    nussinov: ["N=4", "N=7"],
    optimal_search_tree: ["N=3", "N=5"],
    gram_schmidt: ["M=3,N=3", "M=5,N=3"],
    causal_attention: ["N=3,D=2", "N=5,D=3"],
    haar: ["N=2", "N=5"],
    conv_then_pool: ["N=3,K=2", "N=4,K=3"],
    rms_norm_product: ["M=2,D=3,N=2", "M=3,D=4,N=5"],
    perceptron3: ["B=2,I=2,H=2,J=2,O=2", "B=2,I=3,H=4,J=3,O=1"],
    tucker: ["I=2,J=2,K=2,A=2,B=2,C=2", "I=2,J=3,K=2,A=1,B=2,C=3"],
    batched_product: ["B=2,M=2,N=2,K=2", "B=3,M=2,N=4,K=3"],
    syrk: ["N=3,K=3", "N=5,K=2"],
    trmm: ["M=3,N=3", "M=5,N=2"],
    covariance: ["N=4,D=2", "N=5,D=3"],
    fdtd1d: ["T=3,N=4", "T=5,N=3"],
    wave2d: ["T=2,N=2", "T=3,N=3"],
    householder: ["M=2,N=2", "M=3,N=2"],
    over_relaxation: ["T=2,N=2", "T=2,N=4"],
    transposed_conv: ["N=3,K=2", "N=4,K=5"],
    red_black: ["T=2,N=4", "T=3,N=5"],
    power_iteration: ["T=2,N=2", "T=3,N=4"],
}


def lines(kind, arrays):
    for name, array in arrays.items():
        yield " ".join([kind, name, *map(str, np.shape(array))])
        yield " ".join(repr(float(value)) for value in np.ravel(array))


def blocks(kernel):
    for sizes in CASES[kernel]:
        NUMBERS.clear()
        results = kernel(**{name: int(size) for name, size in (one.split("=") for one in sizes.split(","))})
        yield sizes, dict(NUMBERS), results


def main():
    for kernel in CASES:
        text = []
        for sizes, inputs, results in blocks(kernel):
            text += [f"size {sizes}", *lines("input", inputs), *lines("output", results)]
        path = pathlib.Path(__file__).with_name(kernel.__name__ + ".txt")
        path.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
