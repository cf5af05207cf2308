#include "users.h"

static inline int most(int a, int b) { return a > b ? a : b; }

void plain(const int similarity[n][m], int score[restrict n][m], int along[restrict n][m], int across[restrict n][m]) {
  int no_score[m], no_gap[m];
  for (int i = 0; i < m; ++i) no_score[i] = 0, no_gap[i] = -1000;
  for (int j = 0; j < n; ++j) {
    const int *above = j ? score[j - 1] : no_score, *gap = j ? across[j - 1] : no_gap;
    int h = 0, left = -1000, best[m];
#pragma omp simd
    for (int i = 0; i < m; ++i) across[j][i] = most(above[i] - 7, gap[i] - 1);
    best[0] = most(most(0, similarity[j][0]), across[j][0]);
#pragma omp simd
    for (int i = 1; i < m; ++i) best[i] = most(most(0, above[i - 1] + similarity[j][i]), across[j][i]);
    for (int i = 0; i < m; ++i) {
      along[j][i] = left = most(h - 7, left - 1);
      score[j][i] = h = most(best[i], left);
    }
  }
}
