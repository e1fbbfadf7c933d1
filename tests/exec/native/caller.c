/* A program of somebody else, which calls two kernels from two threads, twice each, with rows that are longer than they
 * must be, and with what is wrong: it gets a status for that, and nothing else happens. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "matmul.h"
#include "trisolve.h"

enum { SIDE = 6, ROW = 9 };

static int failed(const char *what)
{
    fprintf(stderr, "%s\n", what);
    return 1;
}

static int multiply(void)
{
    double a[SIDE * ROW], b[SIDE * ROW], c[SIDE * ROW];
    const matmul_sizes sizes = {.M = SIDE, .N = SIDE - 1, .K = SIDE};
    for (int at = 0; at < SIDE * ROW; at++) {
        a[at] = at % 7 - 3.0;
        b[at] = at % 5 - 2.0;
        c[at] = -1.0;
    }
    if (matmul(&sizes, a, ROW, b, ROW, c, ROW, 2) != MATMUL_OK)
        return failed("matmul");
    for (int i = 0; i < SIDE; i++) {
        for (int j = 0; j < ROW; j++) {
            double sum = 0.0;
            for (int k = 0; k < SIDE; k++)
                sum += a[i * ROW + k] * b[k * ROW + j];
            if (c[i * ROW + j] != (j < SIDE - 1 ? sum : -1.0))
                return failed("an element of the product");
        }
    }
    return 0;
}

static int solve(void)
{
    double l[SIDE * ROW] = {0}, b[SIDE], x[SIDE];
    const trisolve_sizes sizes = {.N = SIDE};
    for (int i = 0; i < SIDE; i++) {
        b[i] = 0.0;
        l[i * ROW + i] = 2.0;
        for (int j = 0; j < i; j++)
            l[i * ROW + j] = 1.0;
        for (int j = 0; j <= i; j++)
            b[i] += l[i * ROW + j] * (j + 1);
    }
    if (trisolve(&sizes, l, ROW, b, x, 2) != TRISOLVE_OK)
        return failed("trisolve");
    for (int i = 0; i < SIDE; i++)
        if (x[i] != i + 1)
            return failed("an element of the solution");
    return 0;
}

static int mistakes(void)
{
    double array[4] = {1.0, 0.0, 0.0, 1.0};
    trisolve_sizes sizes = {.N = 2};
    if (trisolve(&sizes, NULL, 2, array, array, 1) != TRISOLVE_BAD_ARGUMENT)
        return failed("no array");
    if (trisolve(NULL, array, 2, array, array, 1) != TRISOLVE_BAD_ARGUMENT)
        return failed("no sizes");
    if (trisolve(&sizes, array, 1, array, array, 1) != TRISOLVE_BAD_ARGUMENT)
        return failed("rows that are too short");
    if (trisolve(&sizes, array, 2, array, array, 0) != TRISOLVE_BAD_ARGUMENT)
        return failed("no threads");
    sizes.N = 0;
    if (trisolve(&sizes, array, 2, array, array, 1) != TRISOLVE_BAD_SIZE)
        return failed("a size of 0");
    sizes.N = INT64_MAX;
    if (trisolve_check(&sizes) != TRISOLVE_BAD_SIZE)
        return failed("a size that is too large");
    return 0;
}

static void *work(void *argument)
{
    int *fault = argument;
    for (int round = 0; round < 2; round++)
        *fault |= multiply() | solve() | mistakes();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int faults[2] = {0, 0};
    for (int number = 0; number < 2; number++)
        if (pthread_create(&threads[number], NULL, work, &faults[number]) != 0)
            return failed("a thread");
    for (int number = 0; number < 2; number++)
        pthread_join(threads[number], NULL);
    return faults[0] | faults[1];
}
