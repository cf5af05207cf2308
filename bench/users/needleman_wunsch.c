#include "users.h"

static inline int most(int a, int b) { return a > b ? a : b; }

void plain(const int similarity[n][m], const int penalty[n], int score[restrict n][m + 1]) {
  int before[m + 1];
  for (int i = 0; i <= m; ++i) before[i] = -10 * i;
  for (int j = 0; j < n; ++j) {
    const int p = penalty[j], *above = j ? score[j - 1] : before;
    int left = score[j][0] = -p * (j + 1), best[m];
#pragma omp simd
    for (int i = 0; i < m; ++i) best[i] = most(above[i] + similarity[j][i], above[i + 1] - p);
    for (int i = 0; i < m; ++i) score[j][i + 1] = left = most(best[i], left - p);
  }
}
