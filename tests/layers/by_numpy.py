"""What the kernels of `kernels/layers` compute, by NumPy: inputs and results at two sizes each, and twelve shapes of a convolution.

`python by_numpy.py` writes `NAME.txt` for each, in the form that `tests/textbook/oracle.py` describes. Nothing here knows how Systole works: a
function is written from its definition, with a mask where the kernel has a triangle, and windows of a padded array where it has guards.
"""

import math
import pathlib
import sys

import numpy as np

sys.path.append(str(pathlib.Path(__file__).parents[1] / "textbook"))
from oracle import NUMBERS, drawn, given, lines


def softmax(scores):
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True)


def causal_attention(N, D):
    Q, K, V = given(Q=drawn("Q", N, D), K=drawn("K", N, D), V=drawn("V", N, D))
    mask = np.triu(np.full((N, N), -np.inf), 1)
    return {"O": softmax(Q @ K.T / math.sqrt(D) + mask) @ V}


def grouped_attention(G, H, N, M, D):
    Q, K, V = given(Q=drawn("Q", G, H, N, D), K=drawn("K", G, M, D), V=drawn("V", G, M, D))
    heads = Q.reshape(G * H, N, D)
    found = [softmax(heads[h] @ K[h // H].T / math.sqrt(D)) @ V[h // H] for h in range(G * H)]
    return {"O": np.array(found).reshape(G, H, N, D)}


def cached_attention(C, T, D):
    given(Q=drawn("Q", T, D), K=drawn("K", T, D), V=drawn("V", T, D), CK=drawn("CK", C, D), CV=drawn("CV", C, D))
    Q, keys, values = NUMBERS["Q"], NUMBERS["CK"], NUMBERS["CV"]
    results = []
    for token in range(T):
        keys = np.vstack([keys, NUMBERS["K"][token]])
        values = np.vstack([values, NUMBERS["V"][token]])
        results.append(softmax(Q[token] @ keys.T / math.sqrt(D)) @ values)
    return {"O": np.array(results), "NK": keys, "NV": values}


def masked_rows(N, D):
    # Masks below the diagonal, and a row of which all is masked: its weights have no sum, and the logarithm of that is -infinity.
    S, V = given(S=drawn("S", N, N), V=drawn("V", N, D))
    S[1, :2] = S[2, 0] = S[3, 1:3] = -np.inf
    shown = np.tril(np.ones((N, N))) > 0
    with np.errstate(invalid="ignore"):
        O = softmax(np.where(shown, S, -np.inf)) @ V
    return {"O": O, "y": np.array([np.logaddexp.reduce(S[i, : i + 1]) for i in range(N)])}


def layer_norm(N, D, F):
    X, g, b, W = given(X=drawn("X", N, D), g=drawn("g", D), b=drawn("b", D), W=drawn("W", D, F))
    normal = (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 1e-5)
    return {"Y": (normal * g + b) @ W}


def mlp(B, I, H, O):
    X, U, a, V, c = given(X=drawn("X", B, I), U=drawn("U", I, H), a=drawn("a", H), V=drawn("V", H, O), c=drawn("c", O))
    x = X @ U + a
    return {"Y": 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) @ V + c}


def folded_product(F, M, N, K):
    A, B = given(A=drawn("A", F, M, K), B=drawn("B", F, K, N))
    return {"C": A @ B}


def convolution(S, P, E, G, F, C, M, N):
    rows, columns = (S * (extent - 1) + 2 * E + 1 - 2 * P for extent in (M, N))
    W, X = given(W=drawn("W", G, F, C, 3, 3), X=drawn("X", G, C, rows, columns))
    padded = np.pad(X, ((0, 0), (0, 0), (P, P), (P, P)))
    Y = np.zeros((G, F, M, N))
    for i in range(M):
        for j in range(N):
            window = padded[:, :, S * i : S * i + 2 * E + 1 : E, S * j : S * j + 2 * E + 1 : E]
            Y[:, :, i, j] = np.einsum("gfckl,gckl->gf", W, window)
    return {"Y": Y}


CASES = {
    causal_attention: ["N=3,D=2", "N=5,D=3"],
    grouped_attention: ["G=2,H=2,N=2,M=2,D=2", "G=1,H=2,N=2,M=3,D=2"],
    cached_attention: ["C=2,T=2,D=2", "C=3,T=1,D=2"],
    masked_rows: ["N=4,D=2", "N=6,D=1"],
    layer_norm: ["N=2,D=3,F=2", "N=3,D=4,F=2"],
    mlp: ["B=2,I=2,H=2,O=2", "B=2,I=3,H=4,O=1"],
    folded_product: ["F=2,M=2,N=3,K=2", "F=3,M=2,N=2,K=4"],
    # Strides 1 and 2, borders of 0 and 1, dilations 1 and 2; one group, two, and one of a filter and a channel for each of three channels.
    convolution: [
        f"S={S},P={P},E={E},{groups},M=3,N=2"
        for S, P, E, groups in [
            (1, 0, 1, "G=1,F=2,C=2"),
            (1, 0, 1, "G=2,F=2,C=1"),
            (1, 1, 1, "G=1,F=2,C=2"),
            (1, 1, 1, "G=3,F=1,C=1"),
            (2, 0, 1, "G=1,F=1,C=3"),
            (2, 0, 1, "G=3,F=1,C=1"),
            (2, 1, 1, "G=2,F=1,C=2"),
            (2, 1, 1, "G=3,F=1,C=1"),
            (1, 0, 2, "G=2,F=1,C=2"),
            (1, 1, 2, "G=1,F=3,C=1"),
            (2, 0, 2, "G=1,F=2,C=2"),
            (2, 1, 2, "G=2,F=2,C=2"),
        ]
    ],
}


def main():
    for kernel, cases in CASES.items():
        text = []
        for sizes in cases:
            NUMBERS.clear()
            results = kernel(**{name: int(size) for name, size in (one.split("=") for one in sizes.split(","))})
            text += [f"size {sizes}", *lines("input", dict(NUMBERS)), *lines("output", results)]
        path = pathlib.Path(__file__).with_name(kernel.__name__ + ".txt")
        path.write_text("\n".join(text) + "\n")


if __name__ == "__main__":
    main()
