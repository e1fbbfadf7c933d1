/* Kernels as a person would write them from the description of the suite, in its order: what native leaves are held against.
 *
 * loops KERNEL REPEAT OUTPUT SIZE.. -- INPUT..: reads inputs, which are plain numbers without a header, runs the kernel so often,
 * each time on fresh inputs, writes `time WALL CPU` for each run, and the output of the last one. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 8 };

/* Sizes, inputs that may be overwritten, and where the output goes. */
typedef void kernel(const long *n, double **in, double *out);

static void gemm(const long *n, double **in, double *out)
{
    const long I = n[0], J = n[1], K = n[2];
    const double *A = in[0], *B = in[1], alpha = in[3][0], beta = in[4][0];
    memcpy(out, in[2], (size_t)(I * J) * sizeof *out);
    for (long i = 0; i < I; i++) {
        for (long j = 0; j < J; j++)
            out[i * J + j] *= beta;
        for (long k = 0; k < K; k++)
            for (long j = 0; j < J; j++)
                out[i * J + j] += alpha * A[i * K + k] * B[k * J + j];
    }
}

static void doitgen(const long *n, double **in, double *out)
{
    const long R = n[0], Q = n[1], P = n[2];
    const double *A = in[0], *C4 = in[1];
    for (long r = 0; r < R; r++)
        for (long q = 0; q < Q; q++)
            for (long p = 0; p < P; p++) {
                double sum = 0.0;
                for (long s = 0; s < P; s++)
                    sum += A[(r * Q + q) * P + s] * C4[s * P + p];
                out[(r * Q + q) * P + p] = sum;
            }
}

static void covariance(const long *n, double **in, double *out)
{
    const long M = n[0], N = n[1];
    double *data = in[0], *mean = calloc((size_t)M, sizeof *mean);
    for (long j = 0; j < M; j++) {
        for (long i = 0; i < N; i++)
            mean[j] += data[i * M + j];
        mean[j] /= (double)N;
    }
    for (long i = 0; i < N; i++)
        for (long j = 0; j < M; j++)
            data[i * M + j] -= mean[j];
    for (long i = 0; i < M; i++)
        for (long j = i; j < M; j++) {
            double sum = 0.0;
            for (long k = 0; k < N; k++)
                sum += data[k * M + i] * data[k * M + j];
            out[i * M + j] = out[j * M + i] = sum / (double)(N - 1);
        }
    free(mean);
}

static void cholesky(const long *n, double **in, double *out)
{
    const long N = n[0];
    double *A = in[0];
    for (long i = 0; i < N; i++) {
        for (long j = 0; j < i; j++) {
            for (long k = 0; k < j; k++)
                A[i * N + j] -= A[i * N + k] * A[j * N + k];
            A[i * N + j] /= A[j * N + j];
        }
        for (long k = 0; k < i; k++)
            A[i * N + i] -= A[i * N + k] * A[i * N + k];
        A[i * N + i] = sqrt(A[i * N + i]);
    }
    memset(out, 0, (size_t)(N * N) * sizeof *out);
    for (long i = 0; i < N; i++)
        memcpy(out + i * N, A + i * N, (size_t)(i + 1) * sizeof *out);
}

static void floyd_warshall(const long *n, double **in, double *out)
{
    const long N = n[0];
    memcpy(out, in[0], (size_t)(N * N) * sizeof *out);
    for (long k = 0; k < N; k++)
        for (long i = 0; i < N; i++)
            for (long j = 0; j < N; j++) {
                const double by = out[i * N + k] + out[k * N + j];
                out[i * N + j] = out[i * N + j] < by ? out[i * N + j] : by;
            }
}

static void jacobi_1d(const long *n, double **in, double *out)
{
    const long T = n[0], N = n[1];
    double *A = in[0], *B = in[1];
    for (long t = 0; t < T; t++) {
        for (long i = 1; i < N - 1; i++)
            B[i] = 0.33333 * (A[i - 1] + A[i] + A[i + 1]);
        for (long i = 1; i < N - 1; i++)
            A[i] = 0.33333 * (B[i - 1] + B[i] + B[i + 1]);
    }
    memcpy(out, A, (size_t)N * sizeof *out);
}

static void jacobi_2d(const long *n, double **in, double *out)
{
    const long T = n[0], N = n[1];
    double *A = in[0], *B = in[1];
    for (long t = 0; t < T; t++)
        for (int half = 0; half < 2; half++) {
            const double *from = half == 0 ? A : B;
            double *to = half == 0 ? B : A;
            for (long i = 1; i < N - 1; i++)
                for (long j = 1; j < N - 1; j++)
                    to[i * N + j] = 0.2 * (from[i * N + j] + from[i * N + j - 1] + from[i * N + j + 1]
                                           + from[(i + 1) * N + j] + from[(i - 1) * N + j]);
        }
    memcpy(out, A, (size_t)(N * N) * sizeof *out);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void smith_waterman(const long *n, double **in, double *out)
{
    const long M = n[0], N = n[1], W = N + 1;
    const double *a = in[0], *b = in[1];
    memset(out, 0, (size_t)((M + 1) * W) * sizeof *out);
    for (long i = 1; i <= M; i++)
        for (long j = 1; j <= N; j++) {
            const double match = out[(i - 1) * W + j - 1] + (a[i - 1] == b[j - 1] ? 2.0 : -1.0);
            const double gap = larger(out[(i - 1) * W + j], out[i * W + j - 1]) - 1.0;
            out[i * W + j] = larger(larger(0.0, match), gap);
        }
}

static void layer_norm(const long *n, double **in, double *out)
{
    const long N = n[0], D = n[1], F = n[2];
    const double *X = in[0], *g = in[1], *b = in[2], *W = in[3];
    double *Z = malloc((size_t)D * sizeof *Z);
    for (long i = 0; i < N; i++) {
        double mean = 0.0, var = 0.0;
        for (long d = 0; d < D; d++)
            mean += X[i * D + d];
        mean /= (double)D;
        for (long d = 0; d < D; d++)
            var += (X[i * D + d] - mean) * (X[i * D + d] - mean);
        var /= (double)D;
        for (long d = 0; d < D; d++)
            Z[d] = (X[i * D + d] - mean) / sqrt(var + 0.00001) * g[d] + b[d];
        memset(out + i * F, 0, (size_t)F * sizeof *out);
        for (long d = 0; d < D; d++)
            for (long f = 0; f < F; f++)
                out[i * F + f] += Z[d] * W[d * F + f];
    }
    free(Z);
}

/* Keys and values are in blocks of 128, which lie one after the other. */
static void attention(const long *n, double **in, double *out)
{
    enum { D = 64 };
    const long N = n[0], M = 128 * n[1];
    const double *Q = in[0], *K = in[1], *V = in[2];
    double *P = malloc((size_t)M * sizeof *P);
    for (long i = 0; i < N; i++) {
        double most = -INFINITY, all = 0.0;
        for (long j = 0; j < M; j++) {
            double sum = 0.0;
            for (long d = 0; d < D; d++)
                sum += Q[i * D + d] * K[j * D + d];
            P[j] = sum / 8.0;
            most = larger(most, P[j]);
        }
        for (long j = 0; j < M; j++)
            all += P[j] = exp(P[j] - most);
        memset(out + i * D, 0, D * sizeof *out);
        for (long j = 0; j < M; j++)
            for (long d = 0; d < D; d++)
                out[i * D + d] += P[j] * V[j * D + d];
        for (long d = 0; d < D; d++)
            out[i * D + d] /= all;
    }
    free(P);
}

static const struct {
    const char *name;
    kernel *run;
} kernels[] = {
    {"gemm", gemm},
    {"doitgen", doitgen},
    {"covariance", covariance},
    {"cholesky", cholesky},
    {"floyd_warshall", floyd_warshall},
    {"jacobi_1d", jacobi_1d},
    {"jacobi_2d", jacobi_2d},
    {"smith_waterman", smith_waterman},
    {"layer_norm", layer_norm},
    {"attention", attention},
};

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A file of numbers, with how many there are. */
static double *read_numbers(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    *count = (size_t)ftell(file) / sizeof(double);
    rewind(file);
    double *values = malloc(*count * sizeof *values);
    if (values && fread(values, sizeof *values, *count, file) != *count)
        values = NULL;
    fclose(file);
    return values;
}

int main(int argc, char **argv)
{
    long sizes[MOST] = {0}, size_count = 0;
    double *given[MOST], *used[MOST];
    size_t counts[MOST], input_count = 0;
    kernel *run = NULL;
    int at = 5;
    for (size_t number = 0; argc > 5 && number < sizeof kernels / sizeof *kernels; number++)
        if (strcmp(kernels[number].name, argv[1]) == 0)
            run = kernels[number].run;
    for (; run && at < argc && strcmp(argv[at], "--") != 0 && size_count < MOST; at++)
        sizes[size_count++] = atol(argv[at]);
    for (at++; run && at < argc && input_count < MOST; at++, input_count++) {
        given[input_count] = read_numbers(argv[at], &counts[input_count]);
        used[input_count] = given[input_count] ? malloc((counts[input_count] + 1) * sizeof(double)) : NULL;
        if (!used[input_count])
            run = NULL;
    }
    const size_t out_count = argc > 4 ? (size_t)atol(argv[4]) : 0;
    double *out = calloc(out_count + 1, sizeof *out);
    if (!run || !out) {
        fprintf(stderr, "usage: loops KERNEL REPEAT OUTPUT ELEMENTS SIZE.. -- INPUT..\n");
        return 2;
    }
    for (long round = 0; round < atol(argv[2]); round++) {
        for (size_t number = 0; number < input_count; number++)
            memcpy(used[number], given[number], counts[number] * sizeof(double));
        const double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
        run(sizes, used, out);
        printf("time %.9f %.9f\n", seconds(CLOCK_MONOTONIC) - wall, seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    }
    FILE *file = fopen(argv[3], "wb");
    return !file || fwrite(out, sizeof *out, out_count, file) != out_count || fclose(file) != 0;
}
