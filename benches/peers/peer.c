/* One routine of ScaLAPACK on a grid of ranks, timed and checked.
 *
 *   mpirun -n P*Q peer ROUTINE N NRHS NB P Q PANEL REPEAT
 *
 * ROUTINE is gemm (C = A B), trsm (L X = B, lower, left) or potrf (A = L L^T, lower). Matrices are N x N, those of right-hand sides
 * N x NRHS, distributed in blocks of NB x NB over P x Q ranks in row-major order. PANEL is the width that PBLAS asks `pilaenv_` for; 0
 * leaves the library's own. On standard output rank 0 writes one line a run, the first of which is a warm-up, then the residual:
 *
 *   time SECONDS CPU_SECONDS      from a barrier to the end of the last rank; CPU time of all ranks together
 *   panel WIDTH CALLS             what `pilaenv_` of this program answered, and how often it was asked
 *   residual NUMBER               relative to the norms of the operands
 *
 * Each rank makes its own part from subscripts alone; operands are put back before each run, untimed. The residual is that of
 * the equation applied to a random vector, by loops that share nothing with the library (Freivalds, 1977). Interfaces: the
 * ScaLAPACK Users' Guide, chapters 4 (array descriptors) and 5, and the comments of `PBLAS/SRC/pilaenv.f`.
 */
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int columns);
void Cblacs_gridinfo(int context, int *rows, int *columns, int *row, int *column);
void Cblacs_gridexit(int context);
int numroc_(const int *n, const int *block, const int *process, const int *source, const int *processes);
void descinit_(int *descriptor, const int *m, const int *n, const int *mb, const int *nb, const int *source_row,
               const int *source_column, const int *context, const int *leading, int *info);
void pdgemm_(const char *, const char *, const int *m, const int *n, const int *k, const double *alpha, const double *a,
             const int *ia, const int *ja, const int *of_a, const double *b, const int *ib, const int *jb, const int *of_b,
             const double *beta, double *c, const int *ic, const int *jc, const int *of_c);
void pdtrsm_(const char *side, const char *triangle, const char *turned, const char *unit, const int *m, const int *n,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *of_a, double *b, const int *ib,
             const int *jb, const int *of_b);
void pdpotrf_(const char *triangle, const int *n, double *a, const int *ia, const int *ja, const int *of_a, int *info);

static int grid_rows, grid_columns, my_row, my_column, context, rank, panel;
static long panel_calls;

/* PBLAS takes the first `pilaenv_` that the linker finds, which is this one; its own answers the constant 32. */
int pilaenv_(const int *of_context, const char *precision) {
  (void)of_context, (void)precision;
  panel_calls++;
  return panel > 0 ? panel : 32;
}

static void refuse(const char *message) {
  if (rank == 0) fprintf(stderr, "peer: %s\n", message);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A number in [-0.5, 0.5) from three others, by the finalizer of SplitMix64 (Steele, Lea, Flood, 2014). */
static double number(uint64_t matrix, uint64_t row, uint64_t column) {
  uint64_t x = (matrix << 56 ^ row << 28 ^ column) + 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return (double)((x ^ x >> 31) >> 11) / 9007199254740992.0 - 0.5;
}

typedef enum { GENERAL, DOMINANT, SYMMETRIC } kind;

/* A matrix that is distributed: this rank's part, column by column. */
typedef struct {
  int rows, columns, block, own_rows, own_columns, leading, descriptor[9];
  double *values;
} matrix;

static int row_of(const matrix *m, int own) { return (own / m->block * grid_rows + my_row) * m->block + own % m->block; }

static int column_of(const matrix *m, int own) {
  return (own / m->block * grid_columns + my_column) * m->block + own % m->block;
}

static matrix deal(int rows, int columns, int block) {
  matrix m = {.rows = rows, .columns = columns, .block = block};
  int zero = 0, info;
  m.own_rows = numroc_(&rows, &block, &my_row, &zero, &grid_rows);
  m.own_columns = numroc_(&columns, &block, &my_column, &zero, &grid_columns);
  m.leading = m.own_rows > 0 ? m.own_rows : 1;
  descinit_(m.descriptor, &rows, &columns, &block, &block, &zero, &zero, &context, &m.leading, &info);
  if (info != 0) refuse("descinit refuses the matrix");
  m.values = calloc((size_t)m.leading * (m.own_columns > 0 ? m.own_columns : 1), sizeof(double));
  if (!m.values) refuse("not enough memory");
  return m;
}

static matrix make(int rows, int columns, int block, kind of, int seed) {
  matrix m = deal(rows, columns, block);
  for (int c = 0; c < m.own_columns; c++)
    for (int r = 0; r < m.own_rows; r++) {
      int i = row_of(&m, r), j = column_of(&m, c);
      int low = of == SYMMETRIC && j > i;
      double value = number(seed, low ? j : i, low ? i : j);
      m.values[(size_t)c * m.leading + r] = i == j && of != GENERAL ? rows + value : value;
    }
  return m;
}

static matrix copy(const matrix *m) {
  matrix other = deal(m->rows, m->columns, m->block);
  memcpy(other.values, m->values, sizeof(double) * m->leading * m->own_columns);
  return other;
}

static void put_back(matrix *into, const matrix *from) {
  memcpy(into->values, from->values, sizeof(double) * from->leading * from->own_columns);
}

typedef enum { WHOLE, LOWER, LOWER_TURNED } part;

/* y = M x on every rank, with all of M, its lower triangle, or the transpose of that. */
static double *apply(const matrix *m, part of, const double *x) {
  int length = of == LOWER_TURNED ? m->columns : m->rows;
  double *y = calloc(length, sizeof(double));
  for (int c = 0; c < m->own_columns; c++)
    for (int r = 0; r < m->own_rows; r++) {
      int i = row_of(m, r), j = column_of(m, c);
      double value = m->values[(size_t)c * m->leading + r];
      if (of != WHOLE && j > i) continue;
      if (of == LOWER_TURNED) y[j] += value * x[i];
      else y[i] += value * x[j];
    }
  MPI_Allreduce(MPI_IN_PLACE, y, length, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return y;
}

static double norm(const double *x, int length) {
  double sum = 0;
  for (int i = 0; i < length; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

static double norm_of(const matrix *m) {
  double own = norm(m->values, m->leading * m->own_columns), sum = own * own;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sqrt(sum);
}

/* |y - z| over the norms of two matrices and a vector. */
static double residual(const double *y, const double *z, int rows, double norms) {
  double sum = 0;
  for (int i = 0; i < rows; i++) sum += (y[i] - z[i]) * (y[i] - z[i]);
  return sqrt(sum) / norms;
}

static double *random_vector(int length) {
  double *x = malloc(sizeof(double) * length);
  for (int i = 0; i < length; i++) x[i] = number(9, i, 0);
  return x;
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

static double started, cpu_started;

static void start(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  started = MPI_Wtime();
  cpu_started = cpu_seconds();
}

static void stop(void) {
  double cpu = cpu_seconds() - cpu_started, all, seconds = MPI_Wtime() - started, last;
  MPI_Reduce(&seconds, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&cpu, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("time %.9f %.9f\n", last, all);
}

static const int one = 1;
static const double unit = 1, none = 0;

static double gemm(int n, int block, int repeat) {
  matrix a = make(n, n, block, GENERAL, 1), b = make(n, n, block, GENERAL, 2), c = deal(n, n, block);
  for (int run = 0; run < repeat; run++) {
    start();
    pdgemm_("N", "N", &n, &n, &n, &unit, a.values, &one, &one, a.descriptor, b.values, &one, &one, b.descriptor, &none,
            c.values, &one, &one, c.descriptor);
    stop();
  }
  double *x = random_vector(n), *inner = apply(&b, WHOLE, x);
  double norms = norm_of(&a) * norm_of(&b) * norm(x, n);
  return residual(apply(&a, WHOLE, inner), apply(&c, WHOLE, x), n, norms);
}

static double trsm(int n, int columns, int block, int repeat) {
  matrix l = make(n, n, block, DOMINANT, 1), b = make(n, columns, block, GENERAL, 2), x = copy(&b);
  for (int run = 0; run < repeat; run++) {
    put_back(&x, &b);
    start();
    pdtrsm_("L", "L", "N", "N", &n, &columns, &unit, l.values, &one, &one, l.descriptor, x.values, &one, &one, x.descriptor);
    stop();
  }
  double *v = random_vector(columns), *solved = apply(&x, WHOLE, v);
  double norms = norm_of(&l) * norm_of(&x) * norm(v, columns);
  return residual(apply(&l, LOWER, solved), apply(&b, WHOLE, v), n, norms);
}

static double potrf(int n, int block, int repeat) {
  matrix a = make(n, n, block, SYMMETRIC, 1), l = copy(&a);
  for (int run = 0, info; run < repeat; run++) {
    put_back(&l, &a);
    start();
    pdpotrf_("L", &n, l.values, &one, &one, l.descriptor, &info);
    stop();
    if (info != 0) refuse("pdpotrf refuses the matrix");
  }
  double *v = random_vector(n), *turned = apply(&l, LOWER_TURNED, v);
  return residual(apply(&l, LOWER, turned), apply(&a, WHOLE, v), n, norm_of(&a) * norm(v, n));
}

int main(int count, char **words) {
  MPI_Init(&count, &words);
  int ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (count != 9) refuse("usage: peer ROUTINE N NRHS NB P Q PANEL REPEAT");
  int n = atoi(words[2]), columns = atoi(words[3]), block = atoi(words[4]), repeat = atoi(words[8]);
  grid_rows = atoi(words[5]), grid_columns = atoi(words[6]), panel = atoi(words[7]);
  if (grid_rows * grid_columns != ranks || n < 1 || columns < 1 || block < 1) refuse("a grid or a size that does not fit");
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "R", grid_rows, grid_columns);
  Cblacs_gridinfo(context, &grid_rows, &grid_columns, &my_row, &my_column);
  double found = -1;
  if (!strcmp(words[1], "gemm")) found = gemm(n, block, repeat);
  else if (!strcmp(words[1], "trsm")) found = trsm(n, columns, block, repeat);
  else if (!strcmp(words[1], "potrf")) found = potrf(n, block, repeat);
  else refuse("a routine that is not gemm, trsm or potrf");
  if (rank == 0) printf("panel %d %ld\nresidual %.3e\n", panel > 0 ? panel : 32, panel_calls, found);
  Cblacs_gridexit(context);
  MPI_Finalize();
  return 0;
}
