struct level {
  double *u, *f, *lambda, *previous, *e, *ae, *c[COEFFICIENTS + 1];
  double x[NUMBERS];
};
struct SOLVER {
  struct level level[LEVELS];
  double *shift, *beside, *scratch[WORK + 1], *face[2 * RANK], *lu;
  double sum;
  int color[COLOR_ROWS + 1], *rows, failed, is_ready, best_steps;
};

GENERATED_CALLS
static long count(int l) {
  long n = 1;
  for (int d = 0; d < RANK; ++d) n *= cells[l][d];
  return n;
}
static long face_cells(int d) { return count(0) / cells[0][d]; }
static double *doubles(long n) { return calloc((size_t)(n > 0 ? n : 1), sizeof(double)); }
static void fill(double *x, long n, double value) {
#ifdef _OPENMP
#pragma omp parallel for if (n > 100000)
#endif
  for (long i = 0; i < n; ++i) x[i] = value;
}
static void remove_mean(double *x, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += x[i];
  for (long i = 0; i < n; ++i) x[i] -= sum / (double)n;
}

/* ---- the coarsest level: triangular factors with row exchanges, or sweeps */

static int factor(SOLVER *s) {
  const long n = count(LEVELS - 1);
  struct level *const l = &s->level[LEVELS - 1];
  double largest = 0;
  for (long c = 0; c < n; ++c) {
    fill(l->u, n, 0);
    l->u[c] = 1;
    apply(s, LEVELS - 1, l->f);
    for (long r = 0; r < n; ++r) s->lu[r * n + c] = l->f[r];
    if (fabs(l->f[c]) > largest) largest = fabs(l->f[c]);
  }
  if (SINGULAR)
    for (long i = 0; i < n * n; ++i) s->lu[i] += largest / (double)n;
  largest = 0;
  for (long i = 0; i < n * n; ++i) largest = fmax(largest, fabs(s->lu[i]));
  for (long k = 0; k < n; ++k) {
    long pivot = k;
    for (long r = k + 1; r < n; ++r)
      if (fabs(s->lu[r * n + k]) > fabs(s->lu[pivot * n + k])) pivot = r;
    s->rows[k] = (int)pivot;
    if (!(fabs(s->lu[pivot * n + k]) > 1e-13 * largest)) return SOLVER_IS_SINGULAR;
    for (long c = 0; pivot != k && c < n; ++c) {
      const double x = s->lu[k * n + c];
      s->lu[k * n + c] = s->lu[pivot * n + c], s->lu[pivot * n + c] = x;
    }
    for (long r = k + 1; r < n; ++r) {
      const double x = s->lu[r * n + k] /= s->lu[k * n + k];
      for (long c = k + 1; c < n; ++c) s->lu[r * n + c] -= x * s->lu[k * n + c];
    }
  }
  return SOLVER_OK;
}

static void bottom(SOLVER *s) {
  const long n = count(LEVELS - 1);
  double *const u = s->level[LEVELS - 1].u;
  if (DENSE) {
    memcpy(u, s->level[LEVELS - 1].f, (size_t)n * sizeof(double));
    for (long k = 0; k < n; ++k) {
      const double x = u[k];
      u[k] = u[s->rows[k]], u[s->rows[k]] = x;
    }
    for (long r = 0; r < n; ++r)
      for (long c = 0; c < r; ++c) u[r] -= s->lu[r * n + c] * u[c];
    for (long r = n; r-- > 0;) {
      for (long c = r + 1; c < n; ++c) u[r] -= s->lu[r * n + c] * u[c];
      u[r] /= s->lu[r * n + r];
    }
  } else {
    smooth(s, LEVELS - 1, BOTTOM_SWEEPS);
  }
  if (SINGULAR) remove_mean(u, n);
}

/* ---- how far to go along a coarser level's correction: as far as leaves the least energy */

static int is_symmetric(SOLVER *s) {
  const int l = LEVELS - 1;
  struct level *const v = &s->level[l];
  const long n = count(l);
  unsigned long long state = 7;
  double yax = 0, xay = 0, xx = 0, yy = 0, axax = 0, ayay = 0;
  for (int both = 0; both < 2; ++both) {
    double *const x = both ? v->e : v->u;
    for (long i = 0; i < n; ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      x[i] = (double)(state >> 40) / 8388608. - 1;
    }
  }
  apply(s, l, v->f);
  for (long i = 0; i < n; ++i) yax += v->e[i] * v->f[i], axax += v->f[i] * v->f[i], xx += v->u[i] * v->u[i];
  double *const x = v->u;
  v->u = v->e, apply(s, l, v->f), v->u = x;
  for (long i = 0; i < n; ++i) xay += v->u[i] * v->f[i], ayay += v->f[i] * v->f[i], yy += v->e[i] * v->e[i];
  return fabs(yax - xay) <= 1e-10 * (sqrt(axax * yy) + sqrt(ayay * xx));
}

/* Some coefficient, positive everywhere, has a largest value of more than 4 times its least one. */
static int varies_much(const SOLVER *s) {
  for (int c = 0; c < COEFFICIENTS; ++c) {
    const double *const x = s->level[0].c[c];
    double least = x[0], largest = x[0];
    for (long i = 0; i < coefficient_elements[0][c]; ++i) least = fmin(least, x[i]), largest = fmax(largest, x[i]);
    if (least > 0 && largest > 4 * least) return 1;
  }
  return 0;
}

static void correct(SOLVER *s, int l) {
  if (l == 0 || !s->best_steps) {
    up(s, l);
    return;
  }
  struct level *const v = &s->level[l];
  const long n = count(l);
  double *const u = v->u;
  double falls = 0, curves = 0;
  fill(v->e, n, 0);
  v->u = v->e, up(s, l), apply(s, l, v->ae), v->u = u;
  for (long i = 0; i < n; ++i) falls += v->e[i] * v->f[i] - v->ae[i] * u[i], curves += v->e[i] * v->ae[i];
  const double t = falls > 0 && curves > 0 && isfinite(falls / curves) ? falls / curves : 1;
  for (long i = 0; i < n; ++i) u[i] += t * v->e[i];
}

/* ---- what the values of the conditions add to A u */

/* Reflections lead into the region, axis after axis; each adds its shift, times the factors of those before. */
static double beyond(const SOLVER *s, const long *position) {
  double scale = 1, shift = 0;
  long at[RANK];
  memcpy(at, position, sizeof at);
  for (int d = 0; d < RANK; ++d) {
    const long n = cells[0][d];
    while (at[d] < 0 || at[d] >= n) {
      const int high = at[d] >= n, side = 2 * d + high;
      if (faces[side].periodic) {
        at[d] += high ? -n : n;
        continue;
      }
      const long steps = high ? at[d] - n : -1 - at[d];
      long cell = 0;
      for (int e = 0; e < RANK; ++e) {
        const long within = at[e] < 0 ? 0 : at[e] >= cells[0][e] ? cells[0][e] - 1 : at[e];
        if (e != d) cell = cell * cells[0][e] + within;
      }
      shift += scale * (faces[side].slope ? (double)(2 * steps + 1) : 1.0) * faces[side].shift * s->face[side][cell];
      scale *= faces[side].scale;
      at[d] = high ? 2 * n - 1 - at[d] : -1 - at[d];
    }
  }
  return shift;
}

static int find_shift(SOLVER *s) {
  long n = 1, at[RANK];
  for (int d = 0; d < RANK; ++d) n *= cells[0][d] + 2 * RADIUS, at[d] = -RADIUS;
  double *const around = doubles(n);
  if (!around) return SOLVER_NO_MEMORY;
  for (long i = 0; i < n; ++i) {
    int outside = 0;
    for (int d = 0; d < RANK; ++d) outside |= at[d] < 0 || at[d] >= cells[0][d];
    if (outside) around[i] = beyond(s, at);
    for (int d = RANK; d-- > 0;) {
      if (++at[d] < cells[0][d] + RADIUS) break;
      at[d] = -RADIUS;
    }
  }
  boundary(s, around);
  free(around);
  return s->failed ? SOLVER_NO_MEMORY : SOLVER_OK;
}

/* ---- set-up */

void SOLVER_free(SOLVER *s) {
  if (!s) return;
  for (int l = 0; l < LEVELS; ++l) {
    struct level *const v = &s->level[l];
    free(v->u), free(v->f), free(v->lambda), free(v->previous), free(v->e), free(v->ae);
    for (int c = 0; c < COEFFICIENTS; ++c) free(v->c[c]);
  }
  for (int w = 0; w < WORK; ++w) free(s->scratch[w]);
  for (int side = 0; side < 2 * RANK; ++side) free(s->face[side]);
  free(s->shift), free(s->beside), free(s->lu), free(s->rows), free(s);
}

SOLVER *SOLVER_new(void) {
  SOLVER *const s = calloc(1, sizeof *s);
  if (!s) return NULL;
  int ok = 1;
  for (int l = 0; l < LEVELS; ++l) {
    struct level *const v = &s->level[l];
    ok &= (v->u = doubles(count(l))) && (v->f = doubles(count(l))) && (v->lambda = doubles(count(l)));
    ok = ok && (v->previous = doubles(HAS_PREVIOUS ? count(l) : 1));
    ok = ok && (v->e = doubles(BEST_STEPS && l > 0 ? count(l) : 1));
    ok = ok && (v->ae = doubles(BEST_STEPS && l > 0 ? count(l) : 1));
    for (int c = 0; ok && c < COEFFICIENTS; ++c) {
      ok = (v->c[c] = doubles(coefficient_elements[l][c])) != NULL;
      if (ok) fill(v->c[c], coefficient_elements[l][c], 1);
    }
    memcpy(v->x, numbers[l], sizeof v->x);
  }
  for (int w = 0; ok && w < WORK; ++w) ok = (s->scratch[w] = doubles(work_elements[w])) != NULL;
  for (int side = 0; ok && side < 2 * RANK; ++side) {
    ok = (s->face[side] = doubles(face_cells(side / 2))) != NULL;
    if (ok) fill(s->face[side], face_cells(side / 2), faces[side].g);
  }
  const long n = count(LEVELS - 1);
  ok = ok && (s->shift = doubles(count(0))) && (s->beside = doubles(HAS_BESIDE ? count(0) : 1)) &&
       (s->lu = doubles(DENSE ? n * n : 1)) && (s->rows = calloc((size_t)n, sizeof(int)));
  if (ok) return s;
  SOLVER_free(s);
  return NULL;
}

double *SOLVER_array(SOLVER *s, const char *name) {
  s->is_ready = 0;
  for (int c = 0; c < COEFFICIENTS; ++c)
    if (strcmp(name, coefficient_names[c]) == 0) return s->level[0].c[c];
  return NULL;
}

double *SOLVER_face(SOLVER *s, const char *name) {
  s->is_ready = 0;
  for (int side = 0; side < 2 * RANK; ++side)
    if (strcmp(name, faces[side].name) == 0) return faces[side].periodic ? NULL : s->face[side];
  return NULL;
}

int SOLVER_prepare(SOLVER *s) {
  s->failed = 0;
  for (int l = 0; l + 1 < LEVELS; ++l) coefficients(s, l);
  for (int l = 0; l < LEVELS; ++l) {
    diagonal(s, l);
    for (long i = 0; i < count(l); ++i)
      if (!(s->level[l].lambda[i] > 0) || !isfinite(s->level[l].lambda[i])) return SOLVER_NOT_POSITIVE;
  }
  s->best_steps = BEST_STEPS == 1 || (BEST_STEPS == 2 && varies_much(s) && is_symmetric(s));
  int status = find_shift(s);
  if (status == SOLVER_OK && DENSE) status = factor(s);
  if (s->failed) status = SOLVER_NO_MEMORY;
  s->is_ready = status == SOLVER_OK;
  return status;
}

/* ---- a solve */

static void step(SOLVER *s, int leg, int l) {
  switch (leg) {
    case 0:
      smooth(s, l, SWEEPS_DOWN);
      down(s, l);
      fill(s->level[l + 1].u, count(l + 1), 0);
      break;
    case 1:
      bottom(s);
      break;
    case 2:
      correct(s, l);
      smooth(s, l, SWEEPS_UP);
      break;
    case 3:
      restrict_f(s, l);
      break;
    default:
      fill(s->level[l].u, count(l), 0);
      up(s, l);
  }
}

static double residual(SOLVER *s) {
  norm(s);
  return sqrt(s->sum / (double)count(0));
}

int SOLVER_solve(SOLVER *s, const double *f, double *u, double relative, int cycles, double *history, int *done) {
  const long n = count(0);
  int status = SOLVER_NOT_CONVERGED, c = 0;
  if (done) *done = 0;
  if (!s->is_ready && (status = SOLVER_prepare(s)) != SOLVER_OK) return status;
  status = SOLVER_NOT_CONVERGED;
  struct level *const v = &s->level[0];
  for (long i = 0; i < n; ++i) v->f[i] = f[i] - s->shift[i];
  if (SINGULAR) remove_mean(v->f, n);
  double reference = 0;
  for (long i = 0; i < n; ++i) reference += v->f[i] * v->f[i];
  reference = sqrt(reference / (double)n);
  memcpy(v->u, u, (size_t)n * sizeof(double));
  double now = residual(s), least = now;
  const double base = reference > 0 ? reference : now;
  for (;; ++c) {
    if (history) history[c] = now;
    if (!isfinite(now)) status = SOLVER_NOT_FINITE;
    if (now <= relative * base) status = SOLVER_OK;
    if (status != SOLVER_NOT_CONVERGED || c == cycles) break;
    if (FULL_START && c == 0)
      for (int i = 0; i < (int)(sizeof full_start / sizeof full_start[0]); ++i) step(s, full_start[i][0], full_start[i][1]);
    else
      for (int i = 0; i < (int)(sizeof cycle / sizeof cycle[0]); ++i) step(s, cycle[i][0], cycle[i][1]);
    now = residual(s);
    if (now < least) least = now, memcpy(u, v->u, (size_t)n * sizeof(double));
  }
  if (SINGULAR) remove_mean(u, n);
  if (done) *done = c;
  return s->failed ? SOLVER_NO_MEMORY : status;
}
